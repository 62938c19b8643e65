/** Capability files: a secret on one line, in a file of the user's own. The path is given, never the secret. */
import { readFileSync } from "node:fs";
import { isSecret } from "../../kernel/capability.ts";
import { CodedError } from "../../kernel/errors.ts";
import { checkFile } from "./secure-folder.ts";

/** `unauthorized` where the file is missing or holds no secret; `state_insecure` where others may read it. */
export function readCapability(path: string, uid: number): string {
  if (!checkFile(path, uid)) {
    throw new CodedError("unauthorized", `There is no capability file ${path}.`, { fields: { path } });
  }
  const secret = readFileSync(path, "utf8").trim();
  if (isSecret(secret)) return secret;
  throw new CodedError("unauthorized", `${path} holds no capability of swarm-gen's.`, { fields: { path } });
}
