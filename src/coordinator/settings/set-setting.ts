/**
 * setSetting: an operator chooses a value, or gives the choice back to the default.
 *
 *   in    key; a number in the setting's unit, or a text such as 90s; or that the default holds
 *   throws `invalid_input` naming unit and bounds
 */
import { CodedError } from "../../kernel/errors.ts";
import type { Caller, Transaction } from "../commit/transaction.ts";
import { SETTINGS, type SettingKey, type SettingRow } from "./setting-table.ts";
import { type SettingView, showSetting } from "./show-settings.ts";

export interface SetSettingInput {
  readonly key: SettingKey;
  readonly value?: string | number | undefined;
  readonly toDefault: boolean;
}

const SET = `
  INSERT INTO setting (key, value, set_by, set_at) VALUES (@key, @value, @setBy, @now)
  ON CONFLICT (key) DO UPDATE SET value = @value, set_by = @setBy, set_at = @now`;

export function setSetting(tx: Transaction, caller: Caller, input: SetSettingInput): SettingView {
  const { key } = input;
  if (input.toDefault === (input.value !== undefined)) {
    throw new CodedError("invalid_input", `${key} gets a value, or its default: one of the two.`, {
      hint: `swarm-gen settings set ${key} VALUE, or swarm-gen settings set ${key} --to-default`,
      fields: { path: "value", key, changed: false },
    });
  }
  if (input.value === undefined) {
    tx.run("DELETE FROM setting WHERE key = @key", { key });
  } else {
    const value = String(readValue(key, input.value));
    tx.run(SET, { key, value, setBy: caller.actor, now: tx.now });
  }
  const set = showSetting(tx, caller, { key });
  const { value, origin } = set;
  tx.emit({ type: "setting.set", entity: key, payload: { value, origin, by: caller.actor } });
  return set;
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function readValue(key: SettingKey, given: string | number): number {
  const row: SettingRow = SETTINGS[key];
  const value = typeof given === "number" ? given : numberIn(given, row.unit);
  if (value !== null && Number.isSafeInteger(value) && value >= row.least && value <= row.most) return value;
  const [unit, example] = row.unit === "ms" ? ["milliseconds", " or like 90s, 15m, 2h"] : ["a count", ""];
  throw new CodedError(
    "invalid_input",
    `${key} is ${unit} from ${row.least} to ${row.most}${example}; not ${given}.`,
    {
      fields: { path: "value", key, least: row.least, most: row.most, changed: false },
    },
  );
}

function numberIn(text: string, unit: SettingRow["unit"]): number | null {
  const [, digits, suffix] = /^(\d{1,15})(ms|s|m|h|d)?$/.exec(text) ?? [];
  if (digits === undefined || (suffix !== undefined && unit !== "ms")) return null;
  return Number(digits) * (UNIT_MS[suffix ?? "ms"] ?? 1);
}
