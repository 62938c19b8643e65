/** Messages for people: one in full, and many as a table of how far each came. */
import { cleanLines } from "../clean-text.ts";
import { instantText, secondText } from "../quantities.ts";
import type { Style } from "../style.ts";
import { facts, table } from "../table.ts";
import { words } from "../value-text.ts";
import type { OutputOf } from "./operation-output.ts";

type Fetched = OutputOf<"inbox fetch">;
type Envelope = NonNullable<Fetched["envelope"]>;
type Page = OutputOf<"inbox ls">;

export function fetchedText({ envelope, because, dueAt }: Fetched, style: Style): string {
  if (envelope !== null) return envelopeText(envelope, style);
  const due = dueAt === null ? "" : `; the next is due at ${secondText(dueAt)} UTC`;
  return `nothing to fetch: ${(because ?? "empty").replaceAll("_", " ")}${due}`;
}

export function envelopeText(envelope: Envelope, style: Style): string {
  const { message, kind, sender, thread, sentAt, attempt, leaseToken, leaseUntil, body } = envelope;
  return [
    facts(
      [
        ["message", message],
        ["from", `${sender}, ${kind}${thread === null ? "" : ` on ${thread}`}, ${secondText(sentAt)} UTC`],
        ["lease", `${leaseToken} until ${secondText(leaseUntil)} UTC, try ${attempt}`],
      ],
      style,
    ),
    "",
    cleanLines(body),
  ].join("\n");
}

export function deliveriesText({ deliveries, next }: Page, style: Style): string {
  if (deliveries.length === 0) return "No messages.";
  const rows = table(
    deliveries,
    [
      { title: "MESSAGE", value: (row) => row.message },
      { title: "STATE", value: (row) => row.state, paint: (text, row) => painted(text, row.state, style) },
      { title: "TRY", align: "right", value: (row) => String(row.attempt) },
      { title: "FROM", value: (row) => row.sender },
      { title: "TO", value: (row) => row.recipient },
      { title: "KIND", value: (row) => words(row.kind) },
      { title: "SENT (UTC)", value: (row) => instantText(row.sentAt) },
      { title: "TEXT", value: (row) => row.reason ?? row.excerpt },
    ],
    style,
  );
  return next === null ? rows : `${rows}\nmore: --after ${next}`;
}

function painted(text: string, state: string, style: Style): string {
  if (state === "dead" || state === "uncertain") return style.red(text);
  return state === "acknowledged" ? style.green(text) : text;
}
