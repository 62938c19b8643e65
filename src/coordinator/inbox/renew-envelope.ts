/**
 * renewEnvelope: the consumer goes on with a message, so its lease does.
 *
 *   throws `stale_delivery`; `wrong_state` where a channel's message was not shown and no turn runs
 *          that could still show it; a busy fact that is older than its limit is no such turn
 */
import { CodedError } from "../../kernel/errors.ts";
import type { Caller, Transaction } from "../commit/transaction.ts";
import { setting } from "../settings/read-settings.ts";
import { findMessage } from "./find-message.ts";
import { type Envelope, readOutstanding } from "./read-deliveries.ts";
import { staleDelivery } from "./stale-delivery.ts";

export interface RenewInput {
  readonly message: string;
  readonly leaseToken: string;
}

const RENEW = `
  UPDATE delivery SET lease_until = @leaseUntil
   WHERE message = @message AND recipient = @recipient AND lease_token = @leaseToken
     AND revision = @revision AND state IN ('leased', 'presented') AND lease_until > @now
     AND (state = 'presented' OR launch IS NULL
       OR EXISTS (SELECT 1 FROM observation JOIN service
                   WHERE observation.launch = delivery.launch AND activity = 'busy'
                     AND max(observation.at, coalesce(service.fresh_term_at, 0)) > @now - @busyLimitMs))`;

export function renewEnvelope(tx: Transaction, caller: Caller, input: RenewInput): Envelope {
  const { leaseToken } = input;
  const message = findMessage(tx, caller, input.message);
  const recipient = caller.actor;
  const renewed = tx.run(RENEW, {
    message,
    recipient,
    leaseToken,
    revision: caller.revision,
    now: tx.now,
    leaseUntil: tx.now + setting(tx, "inbox.lease"),
    busyLimitMs: setting(tx, "worker.busy-limit"),
  });
  const envelope = readOutstanding(tx, recipient);
  const isHeld = envelope?.leaseToken === leaseToken && envelope.message === message;
  if (renewed === 1 && isHeld) return envelope;
  if (!isHeld || Date.parse(envelope.leaseUntil) <= tx.now) throw staleDelivery(tx, { message, recipient });
  throw new CodedError(
    "wrong_state",
    `Message ${message} was not shown, and no turn runs that could show it.`,
    {
      hint: "Let its lease lapse; it is delivered again.",
      fields: { message, recipient, leaseUntil: envelope.leaseUntil, changed: false },
    },
  );
}
