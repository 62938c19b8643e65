/** Settings as every surface shows them: the value that holds, and whether anybody chose it. */
import type { Reading } from "../commit/statements.ts";
import type { Caller } from "../commit/transaction.ts";
import { SETTINGS, type SettingKey } from "./setting-table.ts";

export interface SettingView {
  readonly key: SettingKey;
  /** In `unit`. */
  readonly value: number;
  readonly default: number;
  readonly unit: "ms" | "count";
  readonly least: number;
  readonly most: number;
  readonly brief: string;
  /** An explicit value stays what it is where a default changes. */
  readonly origin: "default" | "explicit";
  readonly setBy: string | null;
  /** ISO 8601, UTC. */
  readonly setAt: string | null;
}

export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[];

export function showSetting(
  reading: Reading,
  _caller: Caller,
  { key }: { readonly key: SettingKey },
): SettingView {
  const row = reading.get<{ value: string; set_by: string; set_at: number }>(
    "SELECT value, set_by, set_at FROM setting WHERE key = @key",
    { key },
  );
  const { default: byDefault, unit, least, most, brief } = SETTINGS[key];
  return {
    key,
    value: row === undefined ? byDefault : Number(row.value),
    default: byDefault,
    unit,
    least,
    most,
    brief,
    origin: row === undefined ? "default" : "explicit",
    setBy: row?.set_by ?? null,
    setAt: row === undefined ? null : new Date(row.set_at).toISOString(),
  };
}

export function listSettings(
  reading: Reading,
  caller: Caller,
): { readonly settings: readonly SettingView[] } {
  return { settings: SETTING_KEYS.map((key) => showSetting(reading, caller, { key })) };
}
