/** What a setting is now: the explicit value where one was set, else its default. */
import type { Reading } from "../commit/statements.ts";
import { SETTINGS, type SettingKey } from "./setting-table.ts";

/** In the setting's own unit: milliseconds or a count. */
export function setting(reading: Reading, key: SettingKey): number {
  const row = reading.get<{ value: string }>("SELECT value FROM setting WHERE key = @key", { key });
  return row === undefined ? SETTINGS[key].default : Number(row.value);
}
