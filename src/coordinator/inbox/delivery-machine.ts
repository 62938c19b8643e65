/**
 * The life of a delivery, as data: one message on its way to one recipient.
 *
 *   pending ──lease──▶ leased ──present──▶ presented ──ack──▶ acknowledged
 *      ▲                 │                     │
 *      └── reject, lose, lapse (unseen) ◀──────┤            after the last attempt: dead
 *                                              └──lapse──▶ uncertain ──reconcile──▶ …
 *   pending ──end, its recipient never fetches again──▶ dead
 *
 * `processed` is a fact beside it, keyed by recipient and message: whoever did the work puts it on
 * record under any token, and the next lease of that message acknowledges at once (LEDGER-3).
 */

export const DELIVERY_STATES = [
  "pending",
  "leased",
  "presented",
  "acknowledged",
  "uncertain",
  "expired",
  "dead",
] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export interface Delivery {
  readonly state: DeliveryState;
  /** How often it was leased. */
  readonly attempt: number;
  /** The newest token, as long as its holder's word stands; null once it was lost. */
  readonly leaseToken: string | null;
  readonly leaseUntil: number | null;
  readonly nextAttemptAt: number;
  readonly expiresAt: number | null;
  readonly isProcessed: boolean;
}

export type DeliveryEvent =
  | { readonly kind: "lease"; readonly leaseToken: string; readonly leaseMs: number }
  | { readonly kind: "present"; readonly leaseToken: string }
  | { readonly kind: "renew"; readonly leaseToken: string; readonly leaseMs: number }
  | { readonly kind: "ack"; readonly leaseToken: string }
  | { readonly kind: "reject"; readonly leaseToken: string; readonly delayMs: number | null }
  /** Nobody renewed. */
  | { readonly kind: "lapse" }
  /** What held it is known to have ended. */
  | { readonly kind: "lose" }
  | { readonly kind: "expire" }
  /** Its recipient never fetches again. */
  | { readonly kind: "end" }
  /** Its recipient says that the work is done. */
  | { readonly kind: "record" }
  | { readonly kind: "reconcile"; readonly outcome: "processed" | "redeliver" };

/** The states in which each event means something; in any other it changes nothing. */
export const ACCEPTS = {
  lease: ["pending"],
  present: ["leased", "presented", "acknowledged"],
  renew: ["leased", "presented"],
  ack: ["leased", "presented", "acknowledged"],
  reject: ["leased", "presented", "pending", "dead"],
  lapse: ["leased", "presented"],
  lose: ["leased", "presented"],
  expire: ["pending"],
  end: ["pending"],
  record: DELIVERY_STATES,
  reconcile: ["uncertain", "dead"],
} as const satisfies Record<DeliveryEvent["kind"], readonly DeliveryState[]>;

export interface DeliveryLimits {
  readonly attempts: number;
  readonly backoffMs: number;
  readonly backoffMostMs: number;
}

/** `repeat`: this token did so before. `nothing`: there is nothing to do, and nothing wrong. */
export type Decision =
  | { readonly kind: "changed"; readonly delivery: Delivery }
  | { readonly kind: "repeat" }
  | { readonly kind: "nothing" }
  | { readonly kind: "refused"; readonly code: "stale_delivery" | "wrong_state" };

export function decide(
  delivery: Delivery,
  event: DeliveryEvent,
  now: number,
  limits: DeliveryLimits,
): Decision {
  const accepted: readonly DeliveryState[] = ACCEPTS[event.kind];
  if (!accepted.includes(delivery.state)) return declined(event);
  switch (event.kind) {
    case "lease":
      return lease(delivery, event, now);
    case "present":
    case "renew":
    case "ack":
    case "reject":
      return byToken(delivery, event, now, limits);
    case "lapse":
      if (delivery.leaseUntil === null || delivery.leaseUntil > now) return { kind: "nothing" };
      if (delivery.state === "presented" && !delivery.isProcessed) return changed(delivery, UNCERTAIN);
      return lost(delivery, now, limits);
    case "lose":
      return lost(delivery, now, limits);
    case "expire":
      if (delivery.expiresAt === null || delivery.expiresAt > now) return { kind: "nothing" };
      return changed(delivery, { state: "expired" });
    case "end":
      return changed(delivery, { state: delivery.isProcessed ? "acknowledged" : "dead" });
    case "record":
      return record(delivery, now);
    case "reconcile":
      if (event.outcome === "redeliver") return changed(delivery, { state: "pending", nextAttemptAt: now });
      return changed(delivery, { state: "acknowledged", isProcessed: true });
  }
}

/** A redelivery's wait doubles with each attempt that was lost, up to a bound. */
export function redeliveryWaitMs(
  attempt: number,
  { backoffMs, backoffMostMs }: Pick<DeliveryLimits, "backoffMs" | "backoffMostMs">,
): number {
  return Math.min(backoffMostMs, backoffMs * 2 ** Math.min(attempt - 1, 30));
}

const UNCERTAIN = { state: "uncertain", leaseToken: null, leaseUntil: null } as const;

function changed(delivery: Delivery, change: Partial<Delivery>): Decision {
  return { kind: "changed", delivery: { ...delivery, ...change } };
}

function declined(event: DeliveryEvent): Decision {
  if ("leaseToken" in event && event.kind !== "lease") return { kind: "refused", code: "stale_delivery" };
  if (event.kind === "reconcile") return { kind: "refused", code: "wrong_state" };
  return { kind: "nothing" };
}

function lease(
  delivery: Delivery,
  { leaseToken, leaseMs }: Extract<DeliveryEvent, { kind: "lease" }>,
  now: number,
): Decision {
  if (delivery.nextAttemptAt > now) return { kind: "nothing" };
  if (delivery.expiresAt !== null && delivery.expiresAt <= now) return { kind: "nothing" };
  const attempt = delivery.attempt + 1;
  if (delivery.isProcessed) return changed(delivery, { state: "acknowledged", attempt, leaseToken });
  return changed(delivery, { state: "leased", attempt, leaseToken, leaseUntil: now + leaseMs });
}

function byToken(
  delivery: Delivery,
  event: Extract<DeliveryEvent, { kind: "present" | "renew" | "ack" | "reject" }>,
  now: number,
  limits: DeliveryLimits,
): Decision {
  const stale: Decision = { kind: "refused", code: "stale_delivery" };
  if (delivery.leaseToken !== event.leaseToken) return stale;
  if (delivery.leaseUntil === null) return { kind: "repeat" };
  if (delivery.leaseUntil <= now) return stale;
  switch (event.kind) {
    case "present":
      return delivery.state === "presented" ? { kind: "repeat" } : changed(delivery, { state: "presented" });
    case "renew":
      return changed(delivery, { leaseUntil: now + event.leaseMs });
    case "ack":
      return changed(delivery, { state: "acknowledged", leaseUntil: null, isProcessed: true });
    case "reject": {
      if (delivery.attempt >= limits.attempts) return changed(delivery, { state: "dead", leaseUntil: null });
      const waitMs = event.delayMs ?? redeliveryWaitMs(delivery.attempt, limits);
      return changed(delivery, { state: "pending", leaseUntil: null, nextAttemptAt: now + waitMs });
    }
  }
}

/** Work that is on record is never dead: it comes again at once, to be acknowledged. */
function lost(delivery: Delivery, now: number, limits: DeliveryLimits): Decision {
  const { attempt, isProcessed } = delivery;
  const over = { leaseToken: null, leaseUntil: null };
  if (isProcessed) return changed(delivery, { ...over, state: "pending", nextAttemptAt: now });
  if (attempt >= limits.attempts) return changed(delivery, { ...over, state: "dead" });
  return changed(delivery, {
    ...over,
    state: "pending",
    nextAttemptAt: now + redeliveryWaitMs(attempt, limits),
  });
}

/** Work is done by whom it was given to. */
function record(delivery: Delivery, now: number): Decision {
  if (delivery.attempt === 0) return { kind: "refused", code: "wrong_state" };
  if (delivery.state === "uncertain" || delivery.state === "dead") {
    return changed(delivery, { isProcessed: true, state: "pending", nextAttemptAt: now });
  }
  return delivery.isProcessed ? { kind: "repeat" } : changed(delivery, { isProcessed: true });
}
