/**
 * Capabilities: the secret that proves who calls, and the digest by which it is looked up.
 *
 *   sgk_<64 hex digits>
 *
 * Whoever is to hold a secret makes it, and sends only its digest. The prefix is what finds one in
 * a text where none may stand.
 */
import type { Ids } from "./clock.ts";

const SECRET_BYTES = 32;
const SECRET = /^sgk_[0-9a-f]{64}$/;

export function makeSecret(ids: Ids): string {
  return `sgk_${ids.hex(SECRET_BYTES)}`;
}

export function isSecret(text: string): boolean {
  return SECRET.test(text);
}

/** SHA-256 of the secret's text, in hex. */
export function secretDigest(secret: string): string {
  // Taken when needed: node:crypto takes as long to load as all of --help.
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(secret).digest("hex");
}
