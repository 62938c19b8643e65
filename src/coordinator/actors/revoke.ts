/**
 * revoke: an actor's enrollment ends, for its wrapper, its MCP process and its hooks alike. What it
 * holds is not given away by it: a lease of work lapses as it would, and mail that is out with it
 * is a proven loss. Mail that waits goes on waiting, since the actor can be enrolled again; that of a
 * launch's worker ends with the launch (`end-worker.ts`).
 */
import { CodedError } from "../../kernel/errors.ts";
import type { Caller, Transaction } from "../commit/transaction.ts";
import { endOutstanding } from "../inbox/end-outstanding.ts";
import { type Actor, readActor } from "./read-actors.ts";

export interface RevokeInput {
  readonly actor: string;
  readonly reason?: string | undefined;
}

const REVOKE = `
  UPDATE enrollment SET state = 'revoked', ended_at = @now WHERE actor = @actor AND state = 'active'
  RETURNING revision`;

/** A repeat changes nothing. `not_found`; `wrong_state` for the actors that every ledger has. */
export function revoke(tx: Transaction, caller: Caller, { actor, reason }: RevokeInput): Actor {
  const { kind } = readActor(tx, actor);
  if (kind === "owner" || kind === "operator") {
    throw new CodedError("wrong_state", `The ${kind} of a scope is not revoked.`, {
      hint: "Stop the owner and make the scope's key files anew.",
      fields: { actor, kind, changed: false },
    });
  }
  revokeEnrollment(tx, { actor, by: caller.actor, reason: reason ?? null });
  return readActor(tx, actor);
}

export interface Revocation {
  readonly actor: string;
  /** An actor, or the part of the owner that does it. */
  readonly by: string;
  readonly reason: string | null;
}

/** The active enrollment of an actor, if it has one. */
export function revokeEnrollment(tx: Transaction, { actor, by, reason }: Revocation): void {
  const revoked = tx.get<{ revision: number }>(REVOKE, { actor, now: tx.now });
  if (revoked === undefined) return;
  const { revision } = revoked;
  tx.emit({ type: "actor.revoked", entity: actor, payload: { revision, by, reason } });
  endOutstanding(tx, { first: actor, last: actor });
}
