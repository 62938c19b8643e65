/** One event of the feed as one line: number, time, what, to what, and its payload. */
import type { FollowedEvent } from "../../../../client/client.ts";
import { cleanText } from "../clean-text.ts";
import { secondText } from "../quantities.ts";
import { cellText, words } from "../value-text.ts";

export function eventLine({ seq, at, type, entity, payload }: FollowedEvent): string {
  const facts = Object.entries(payload).map(([name, value]) => `${words(name)} ${cellText(value)}`);
  return cleanText(
    [String(seq).padStart(6), secondText(at), type, entity, facts.join(", ")].join("  ").trimEnd(),
  );
}
