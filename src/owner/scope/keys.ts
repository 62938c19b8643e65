/**
 * The two capabilities that are made with a scope: the operator's, which the command line reads,
 * and the launcher's, which is the owner's own.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { isSecret, makeSecret, secretDigest } from "../../kernel/capability.ts";
import type { Ids } from "../../kernel/clock.ts";
import { systemCode } from "../../kernel/errors.ts";

/**
 * The digest of the secret in `path`, which is made where there is none, or only something that proves
 * nobody. Private from the moment it exists.
 */
export function ensureKey(path: string, ids: Ids): string {
  const known = readKey(path);
  if (known !== null) return secretDigest(known);
  const secret = makeSecret(ids);
  const temporary = `${path}.new`;
  const file = openSync(temporary, "w", 0o600);
  try {
    writeSync(file, `${secret}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
  return secretDigest(secret);
}

function readKey(path: string): string | null {
  try {
    const secret = readFileSync(path, "utf8").trim();
    return isSecret(secret) ? secret : null;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    throw error;
  }
}
