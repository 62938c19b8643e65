/**
 * scope.json: that a scope has begun, and which ledger is its own.
 *
 * It is written last when a scope is created. From then on a ledger that is missing, or that has
 * another instance, is refused; a restart never makes a new one in its place.
 */
import { readFileSync } from "node:fs";
import { CodedError, systemCode } from "../../kernel/errors.ts";

export interface ScopeConfig {
  readonly format: 1;
  readonly root: string;
  readonly profile: string;
  readonly instance: string;
}

/** Null for a scope that has not begun. `ledger_foreign` for a file that is not ours to believe. */
export function readScopeConfig(path: string): ScopeConfig | null {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "")) return null;
    throw error;
  }
  const config = parsed(text);
  if (config !== null) return config;
  throw new CodedError("ledger_foreign", `${path} does not say which ledger is the scope's.`, {
    hint: "Put the file back from a backup; it holds format, root, profile and instance.",
    fields: { path, changed: false },
  });
}

function parsed(text: string): ScopeConfig | null {
  try {
    const { format, root, profile, instance } = JSON.parse(text) as Partial<ScopeConfig>;
    const isWhole = [root, profile, instance].every((value) => typeof value === "string" && value !== "");
    return format === 1 && isWhole ? ({ format, root, profile, instance } as ScopeConfig) : null;
  } catch {
    return null;
  }
}
