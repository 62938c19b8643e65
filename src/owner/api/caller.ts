/** Who sends a request: the bearer secret, looked up by its digest. */
import { authenticate } from "../../coordinator/actors/authenticate.ts";
import type { Reading } from "../../coordinator/commit/statements.ts";
import type { Caller } from "../../coordinator/commit/transaction.ts";
import { isSecret, secretDigest } from "../../kernel/capability.ts";
import { CodedError } from "../../kernel/errors.ts";

export interface ProvenCaller {
  readonly caller: Caller;
  /** With it the caller is proven again inside the transaction. */
  readonly capabilityDigest: string;
}

/** `unauthorized`, `enrollment_revoked`. */
export function proveCaller(reading: Reading, authorization: string | undefined): ProvenCaller {
  const secret = /^Bearer (\S+)$/i.exec(authorization ?? "")?.[1];
  if (secret === undefined) throw unauthorized("The request carries no capability.");
  if (!isSecret(secret)) throw unauthorized("What the request carries is no capability of swarm-gen's.");
  const capabilityDigest = secretDigest(secret);
  const caller = authenticate(reading, capabilityDigest);
  if (caller === null) throw unauthorized("Nobody in this scope was enrolled with the capability.");
  return { caller, capabilityDigest };
}

function unauthorized(message: string): CodedError {
  return new CodedError("unauthorized", message, { fields: { changed: false } });
}
