/**
 * listDeliveries: what is under way for each recipient, in the order in which it will be given; or
 * what ended in one state, newest first. Workers see their own inbox alone.
 */
import { CodedError } from "../../kernel/errors.ts";
import type { Reading } from "../commit/statements.ts";
import type { Caller } from "../commit/transaction.ts";
import type { DeliveryState } from "./delivery-machine.ts";
import { type DeliveryRow, type DeliveryView, deliveryOf } from "./read-deliveries.ts";

export interface ListDeliveriesInput {
  readonly recipient?: string | undefined;
  /** Absent lists all that are not settled. */
  readonly state?: DeliveryState | undefined;
  /** `next` of the page before. */
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface DeliveryPage {
  readonly deliveries: readonly DeliveryView[];
  /** What to name as `after` for the next page; null at the end. */
  readonly next: string | null;
}

const UNSETTLED = `
  SELECT delivery.*, kind, sender, thread, body, sent_at, processed.at AS processed_at
    FROM delivery INDEXED BY delivery_unsettled JOIN message ON message.id = delivery.message
    LEFT JOIN processed ON processed.actor = delivery.recipient AND processed.message = delivery.message
   WHERE delivery.settled_at IS NULL AND recipient BETWEEN @first AND @last
     AND (recipient, position) > (@afterRecipient, @afterPosition)
     AND (@state IS NULL OR delivery.state = @state)
   ORDER BY recipient, position LIMIT @limit`;

const SETTLED = `
  SELECT delivery.*, kind, sender, thread, body, sent_at, processed.at AS processed_at
    FROM delivery JOIN message ON message.id = delivery.message
    LEFT JOIN processed ON processed.actor = delivery.recipient AND processed.message = delivery.message
   WHERE delivery.state = @state AND recipient BETWEEN @first AND @last AND position < @before
   ORDER BY position DESC LIMIT @limit`;

export function listDeliveries(reading: Reading, caller: Caller, input: ListDeliveriesInput): DeliveryPage {
  const { state, after, limit } = input;
  const recipient = caller.kind === "worker" ? ownOnly(caller, input.recipient) : input.recipient;
  const bounds = { first: recipient ?? "", last: recipient ?? "~", limit: limit + 1 };
  const cursor = cursorOf(after);
  const rows = isSettled(state)
    ? reading.all<DeliveryRow>(SETTLED, {
        ...bounds,
        state,
        before: cursor?.position ?? Number.MAX_SAFE_INTEGER,
      })
    : reading.all<DeliveryRow>(UNSETTLED, {
        ...bounds,
        state: state ?? null,
        afterRecipient: cursor?.recipient ?? "",
        afterPosition: cursor?.position ?? 0,
      });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const isMore = rows.length > limit && last !== undefined;
  return {
    deliveries: page.map(deliveryOf),
    next: isMore ? `${last.recipient}:${last.position}` : null,
  };
}

function isSettled(state: DeliveryState | undefined): state is "acknowledged" | "expired" | "dead" {
  return state === "acknowledged" || state === "expired" || state === "dead";
}

function ownOnly({ actor }: Caller, recipient: string | undefined): string {
  if (recipient === undefined || recipient === actor) return actor;
  throw new CodedError("forbidden", `${actor} is a worker, and sees its own inbox alone.`, {
    fields: { actor, recipient, changed: false },
  });
}

function cursorOf(
  after: string | undefined,
): { readonly recipient: string; readonly position: number } | null {
  if (after === undefined) return null;
  const [, recipient, position] = /^(.+):(\d{1,15})$/.exec(after) ?? [];
  if (recipient !== undefined && position !== undefined) return { recipient, position: Number(position) };
  throw new CodedError("invalid_input", `${after} is no place in the list.`, {
    hint: "Name what `next` of the page before says.",
    fields: { path: "after", changed: false },
  });
}
