/** SHA-256 of bytes or a text, in hex: fingerprints of intents, and digests of challenges. */
import { createHash } from "node:crypto";

export function sha256Hex(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
