/**
 * revoke: an actor's enrollment ends, for its wrapper, its MCP process and its hooks alike. What it
 * holds is not given away by it: a lease of work lapses as it would, and mail that is out with it
 * is a proven loss.
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
  const revoked = tx.get<{ revision: number }>(REVOKE, { actor, now: tx.now });
  if (revoked !== undefined) {
    const { revision } = revoked;
    tx.emit({
      type: "actor.revoked",
      entity: actor,
      payload: { revision, by: caller.actor, reason: reason ?? null },
    });
    endOutstanding(tx, { first: actor, last: actor });
  }
  return readActor(tx, actor);
}
