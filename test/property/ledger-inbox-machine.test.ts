/** The life of a delivery as data, and as SQL does it: one random trace, equal answers after each step. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Caller } from "../../src/coordinator/commit/transaction.ts";
import { type Delivery, type DeliveryEvent, decide } from "../../src/coordinator/inbox/delivery-machine.ts";
import { endMail } from "../../src/coordinator/inbox/end-mail.ts";
import { sweepDeliveries } from "../../src/coordinator/inbox/sweep-deliveries.ts";
import { CodedError } from "../../src/kernel/errors.ts";
import { createLedgerWorld, type LedgerWorld } from "../fixtures/ledger-world.ts";

const LIMITS = { attempts: 3, backoffMs: 1_000, backoffMostMs: 3_000 };
const LEASE_MS = 10_000;
const NOBODYS_TOKEN = "00000000";

/** Which of the tokens that were given out is used: 0 is the newest. */
type Step =
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "fetch" | "sweep" | "enroll" | "processed" | "end" }
  | { readonly do: "presented" | "renew" | "ack"; readonly token: number }
  | { readonly do: "reject"; readonly token: number; readonly delayMs: number | null }
  | { readonly do: "reconcile"; readonly outcome: "processed" | "redeliver" };

const token = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(2) });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("fetch" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("wait" as const),
      ms: fc.constantFrom(1, 500, 1_000, 2_000, 9_999, 10_000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("presented" as const, "renew" as const), token }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("ack" as const), token }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("reject" as const),
      token,
      delayMs: fc.constantFrom(null, 1, 60_000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("sweep" as const, "enroll" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("processed" as const, "end" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("reconcile" as const),
      outcome: fc.constantFrom("processed" as const, "redeliver" as const),
    }),
  },
);

/** The same steps, once through `decide` and once through the operations. */
class Run {
  readonly #world: LedgerWorld;
  readonly #message: string;
  readonly #tokens: string[] = [];
  #worker: Caller;
  model: Delivery;

  constructor(world: LedgerWorld, expiresInMs: number | null) {
    this.#world = world;
    this.#worker = world.enroll("worker");
    const sent = world.call("inbox send", world.operator, {
      to: [this.#worker.actor],
      body: "work",
      ...(expiresInMs === null ? {} : { expiresInMs }),
    });
    this.#message = sent.message;
    this.model = {
      state: "pending",
      attempt: 0,
      leaseToken: null,
      leaseUntil: null,
      nextAttemptAt: world.clock.now(),
      expiresAt: expiresInMs === null ? null : world.clock.now() + expiresInMs,
      isProcessed: false,
    };
  }

  /** What SQL refused with and what the machine refuses with; null for none. */
  take(taken: Step): { readonly sql: string | null; readonly machine: string | null } {
    switch (taken.do) {
      case "wait":
        this.#world.clock.advance(taken.ms);
        return { sql: null, machine: null };
      case "fetch":
        return this.#fetch();
      case "sweep":
        this.#world.transact(sweepDeliveries);
        this.#decide({ kind: "lapse" });
        this.#decide({ kind: "expire" });
        return { sql: null, machine: null };
      case "end":
        this.#world.transact((tx) => endMail(tx, this.#worker.actor));
        this.#decide({ kind: "end" });
        return { sql: null, machine: null };
      case "enroll":
        return this.#enrollAgain();
      case "reconcile": {
        const { outcome } = taken;
        const input = { message: this.#message, outcome, reason: "looked" };
        return {
          sql: this.#call("inbox reconcile", this.#world.operator, input),
          machine: this.#decide({ kind: "reconcile", outcome }),
        };
      }
      case "processed":
        return {
          sql: this.#call("inbox processed", this.#worker, { message: this.#message }),
          machine: this.#decide({ kind: "record" }),
        };
      default:
        return this.#byToken(taken);
    }
  }

  get row(): Delivery {
    const row = this.#world.statements.get<Omit<Delivery, "isProcessed"> & { isProcessed: number }>(
      `SELECT state, attempt, lease_token AS leaseToken, lease_until AS leaseUntil,
              next_attempt_at AS nextAttemptAt, expires_at AS expiresAt,
              EXISTS (SELECT 1 FROM processed WHERE actor = recipient AND processed.message = delivery.message)
                AS isProcessed
         FROM delivery WHERE message = @message`,
      { message: this.#message },
    );
    if (row === undefined) throw new Error("the delivery is there");
    return { ...row, isProcessed: row.isProcessed === 1 };
  }

  #fetch() {
    const before = this.row.attempt;
    const sql = this.#call("inbox fetch", this.#worker, {});
    const { leaseToken } = this.row;
    const isLeased = this.row.attempt > before && leaseToken !== null;
    if (isLeased) this.#tokens.unshift(leaseToken);
    this.#decide({ kind: "lapse" });
    const fresh = isLeased ? leaseToken : NOBODYS_TOKEN;
    return { sql, machine: this.#decide({ kind: "lease", leaseToken: fresh, leaseMs: LEASE_MS }) };
  }

  /** The session of before is over: what it held is a proven loss. */
  #enrollAgain() {
    const { actor } = this.#worker;
    const { revision } = this.#world.call("enroll", this.#world.operator, {
      actor,
      kind: "worker",
      label: "again",
      capabilityDigest: this.#world.ids.hex(32),
    });
    this.#worker = { ...this.#worker, revision };
    this.#world.transact(sweepDeliveries);
    this.#decide({ kind: "lose" });
    this.#decide({ kind: "expire" });
    return { sql: null, machine: null };
  }

  #byToken(taken: Extract<Step, { readonly token: number }>) {
    const leaseToken = this.#tokens[taken.token] ?? NOBODYS_TOKEN;
    const lease = { message: this.#message, leaseToken };
    switch (taken.do) {
      case "presented":
        return {
          sql: this.#call("inbox presented", this.#worker, lease),
          machine: this.#decide({ kind: "present", leaseToken }),
        };
      case "renew":
        return {
          sql: this.#call("inbox renew", this.#worker, lease),
          machine: this.#decide({ kind: "renew", leaseToken, leaseMs: LEASE_MS }),
        };
      case "ack":
        return {
          sql: this.#call("inbox ack", this.#worker, lease),
          machine: this.#decide({ kind: "ack", leaseToken }),
        };
      case "reject": {
        const { delayMs } = taken;
        const delay = delayMs === null ? {} : { delayMs };
        return {
          sql: this.#call("inbox reject", this.#worker, { ...lease, reason: "not now", ...delay }),
          machine: this.#decide({ kind: "reject", leaseToken, delayMs }),
        };
      }
    }
  }

  #call(name: Parameters<LedgerWorld["call"]>[0], caller: Caller, input: object): string | null {
    try {
      this.#world.call(name, caller, input as never);
      return null;
    } catch (error) {
      if (error instanceof CodedError) return error.code;
      throw error;
    }
  }

  #decide(event: DeliveryEvent): string | null {
    const decision = decide(this.model, event, this.#world.clock.now(), LIMITS);
    if (decision.kind === "changed") this.model = decision.delivery;
    return decision.kind === "refused" ? decision.code : null;
  }
}

/** When a delivery is due counts while it is pending. */
function comparable({ nextAttemptAt, ...delivery }: Delivery) {
  return { ...delivery, nextAttemptAt: delivery.state === "pending" ? nextAttemptAt : null };
}

describe("a random trace of a delivery", () => {
  test("goes the same way in the machine and in SQL", () => {
    const world = createLedgerWorld();
    world.call("settings set", world.operator, { key: "inbox.attempts", value: LIMITS.attempts });
    world.call("settings set", world.operator, { key: "inbox.backoff", value: LIMITS.backoffMs });
    world.call("settings set", world.operator, { key: "inbox.backoff-most", value: LIMITS.backoffMostMs });
    world.call("settings set", world.operator, { key: "inbox.lease", value: LEASE_MS });
    const reached = new Set<string>();
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 5, maxLength: 40 }),
        fc.constantFrom(null, null, 20_000),
        (steps, expiresInMs) => {
          const run = new Run(world, expiresInMs);
          for (const taken of steps) {
            const { sql, machine } = run.take(taken);
            expect({ ...comparable(run.row), refused: sql }).toEqual({
              ...comparable(run.model),
              refused: machine,
            });
            reached.add(run.model.state);
          }
        },
      ),
      { numRuns: 400 },
    );
    expect([...reached].sort()).toEqual([
      "acknowledged",
      "dead",
      "expired",
      "leased",
      "pending",
      "presented",
      "uncertain",
    ]);
  });
});
