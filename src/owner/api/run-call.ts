/**
 * runCall: one operation, from its name and its unchecked input to its answer.
 *
 * The caller is proven a second time inside the transaction: between the request's arrival and its
 * turn another command may have revoked the enrollment (LEDGER-2).
 */
import { authenticate } from "../../coordinator/actors/authenticate.ts";
import type { Answer } from "../../coordinator/commit/apply-batch.ts";
import type { Transaction } from "../../coordinator/commit/transaction.ts";
import type { Coordinator } from "../../coordinator/create-coordinator.ts";
import type { Clock } from "../../kernel/clock.ts";
import { CodedError, invariant } from "../../kernel/errors.ts";
import { isUuidV7 } from "../../kernel/uuid.ts";
import { OPERATION_CODE } from "../../operations/ledger/operation-code.ts";
import type { OperationRow } from "../../operations/ledger/operation-row.ts";
import { LEDGER_OPERATIONS, type OperationName } from "../../operations/ledger/operation-table.ts";
import type { ProvenCaller } from "./caller.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { invalidInput } from "./problem.ts";

export interface CallDeps {
  readonly coordinator: Pick<Coordinator, "submit" | "reading">;
  readonly clock: Clock;
}

export interface CallRequest {
  readonly operation: string;
  /** Parsed JSON. */
  readonly input: unknown;
  readonly commandId: string | undefined;
  readonly proven: ProvenCaller;
}

/** Throws what is refused before anything is tried; a command's own refusal is its answer. */
export function runCall({ coordinator, clock }: CallDeps, request: CallRequest): Promise<Answer> {
  const { operation, input, commandId, proven } = request;
  const { caller, capabilityDigest } = proven;
  const row = requireOperation(operation);
  refuseCaller(row, caller.kind);
  const code = OPERATION_CODE[row.name as OperationName];
  const parsed = code.input.safeParse(input);
  if (!parsed.success) throw invalidInput(operation, parsed.error);
  if ("query" in code) {
    const output: unknown = code.query(coordinator.reading, caller, parsed.data, clock.now());
    return Promise.resolve({ ok: true, output, replayed: false });
  }
  const id = requireCommandId(operation, commandId);
  const execute = (tx: Transaction): unknown => {
    const current = authenticate(tx, capabilityDigest);
    invariant(current !== null, "an enrollment is never deleted");
    return code.run(tx, current, parsed.data);
  };
  const isRecorded = row.isHeartbeat !== true;
  const record = isRecorded
    ? { actor: caller.actor, id, operation, fingerprint: fingerprintOf(operation, input) }
    : null;
  return coordinator.submit({ record, execute });
}

/** `not_found`. */
export function requireOperation(operation: string): OperationRow {
  const row: OperationRow | undefined = Object.hasOwn(LEDGER_OPERATIONS, operation)
    ? LEDGER_OPERATIONS[operation as OperationName]
    : undefined;
  if (row !== undefined) return row;
  throw new CodedError("not_found", "The owner has no such operation.", {
    hint: "GET /openapi.json lists them.",
    fields: { changed: false },
  });
}

/** `forbidden`, naming who may. */
export function refuseCaller({ name, callers }: Pick<OperationRow, "name" | "callers">, kind: string): void {
  if ((callers as readonly string[]).includes(kind)) return;
  throw new CodedError(
    "forbidden",
    `A ${kind} may not call ${name}; it takes the authority of ${callers.join(" or ")}.`,
    { fields: { operation: name, caller: kind, callers, changed: false } },
  );
}

function requireCommandId(operation: string, commandId: string | undefined): string {
  if (commandId !== undefined && isUuidV7(commandId)) return commandId;
  throw new CodedError(
    "invalid_input",
    `${operation} changes the ledger, so it needs an id that makes it safe to repeat.`,
    {
      hint: "Send a UUIDv7 of your own making in the header swarm-gen-command, in lower case; a retry repeats it.",
      fields: { operation, header: "swarm-gen-command", changed: false },
    },
  );
}
