/**
 * The answers on record: a command id that comes again gets the answer it got (LEDGER-7).
 *
 * An id is a UUIDv7, whose first 48 bits are its time. Answers are kept for seven days; an id
 * older than that cannot be told from one that was never answered, so it is refused.
 */
import { CodedError, type ErrorCode, invariant } from "../../kernel/errors.ts";
import { uuidTimeMs } from "../../kernel/uuid.ts";
import type { Answer, CommandIdentity } from "./apply-batch.ts";
import type { Writing } from "./statements.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
export const ANSWERS_KEPT_MS = 7 * DAY_MS;
/** How far a client's clock may be ahead of ours before its ids are refused. */
export const CLOCK_SKEW_MS = DAY_MS;

interface CommandRow {
  readonly operation: string;
  readonly fingerprint: string;
  readonly answer: string;
}

type Settled =
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly error: CodedError };

/** The answer that this command got before; null if it is new. */
export function recordedAnswer(
  statements: Writing,
  { actor, id, fingerprint }: CommandIdentity,
  now: number,
): Settled | null {
  const row = statements.get<CommandRow>(
    "SELECT operation, fingerprint, answer FROM command WHERE actor = @actor AND id = @id",
    { actor, id },
  );
  if (row !== undefined) {
    if (row.fingerprint === fingerprint) return parseAnswer(row.answer);
    throw new CodedError(
      "idempotency_conflict",
      `Command ${id} came before as ${row.operation}, with another content.`,
      { fields: { commandId: id, operation: row.operation, changed: false } },
    );
  }
  const madeAt = uuidTimeMs(id);
  if (madeAt < now - ANSWERS_KEPT_MS || madeAt > now + CLOCK_SKEW_MS) {
    throw new CodedError("command_expired", `Command ${id} was made at ${new Date(madeAt).toISOString()}.`, {
      fields: { commandId: id, changed: false },
      ...(madeAt > now ? { hint: "Set this machine's clock right, then send it under a new id." } : {}),
    });
  }
  return null;
}

export function recordAnswer(
  statements: Writing,
  { actor, id, operation, fingerprint }: CommandIdentity,
  answer: Extract<Answer, { ok: true }> | Settled,
  now: number,
): void {
  statements.run(
    `INSERT INTO command (actor, id, operation, fingerprint, answer, at)
     VALUES (@actor, @id, @operation, @fingerprint, @answer, @now)`,
    { actor, id, operation, fingerprint, answer: JSON.stringify(answer), now },
  );
}

function parseAnswer(text: string): Settled {
  const answer = JSON.parse(text) as
    | { readonly ok: true; readonly output: unknown }
    | { readonly ok: false; readonly error: Readonly<Record<string, unknown>> };
  if (answer.ok) return answer;
  const { ok: _ok, retryable: _retryable, code, message, hint, ...fields } = answer.error;
  invariant(
    typeof code === "string" && typeof message === "string",
    "a recorded refusal has code and message",
  );
  return { ok: false, error: new CodedError(code as ErrorCode, message, { hint: String(hint), fields }) };
}
