/**
 * endWorker: with its launch ends what its worker had: its capability, the mail that was out with it
 * and the mail that waited for it. Whatever of it still runs is told so at its next call.
 */
import { revokeEnrollment } from "../actors/revoke.ts";
import type { Transaction } from "../commit/transaction.ts";
import { endMail } from "../inbox/end-mail.ts";

export interface EndedWorker {
  readonly launch: string;
  /** Who ended the launch: `launcher`, `operator` or `sweep`. */
  readonly by: string;
  readonly reason: string;
}

/** Nothing for a launch that was never provisioned. */
export function endWorker(tx: Transaction, { launch, by, reason }: EndedWorker): void {
  const worker = tx.get<{ actor: string | null }>("SELECT actor FROM launch WHERE id = @launch", { launch });
  const actor = worker?.actor ?? null;
  if (actor === null) return;
  revokeEnrollment(tx, { actor, by, reason });
  endMail(tx, actor);
}
