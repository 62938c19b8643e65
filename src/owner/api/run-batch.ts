/**
 * Several calls in one request, in their order. Neighbouring commands share a transaction; a query
 * sees what the commands before it did. Each has an answer of its own, refusals included.
 */
import { z } from "zod";
import type { Answer } from "../../coordinator/commit/apply-batch.ts";
import { CodedError } from "../../kernel/errors.ts";
import type { ProvenCaller } from "./caller.ts";
import { codedOf, invalidInput, problemOf } from "./problem.ts";
import { type CallDeps, requireOperation, runCall } from "./run-call.ts";

const MOST_CALLS = 64;

export const batchInput = z.strictObject({
  calls: z
    .array(
      z.strictObject({
        operation: z.string().max(100),
        input: z.unknown().optional(),
        commandId: z.string().max(100).optional(),
      }),
    )
    .min(1)
    .max(MOST_CALLS),
});

export type BatchOutput = { readonly answers: readonly Record<string, unknown>[] };

export interface BatchDeps extends CallDeps {
  /** Told of each call that was refused. */
  readonly onRefused: (operation: string, error: CodedError, proven: ProvenCaller) => void;
  /** Told of each call that met a bug. */
  readonly onBug: (operation: string, error: unknown) => void;
}

export async function runBatch(
  deps: BatchDeps,
  { input, proven }: { readonly input: unknown; readonly proven: ProvenCaller },
): Promise<BatchOutput> {
  const parsed = batchInput.safeParse(input);
  if (!parsed.success) throw invalidInput("batch", parsed.error);
  const answers: Promise<Answer>[] = [];
  for (const call of parsed.data.calls) {
    if (isQuery(call.operation)) await Promise.allSettled(answers);
    // Begun at once and never left alone: one that is refused must not end the owner.
    const { operation, commandId } = call;
    answers.push(begin(() => runCall(deps, { operation, commandId, input: call.input ?? {}, proven })));
  }
  const settled = await Promise.all(answers);
  return {
    answers: settled.map((answer, index) => {
      if (answer.ok) return { ok: true, output: answer.output, replayed: answer.replayed };
      const operation = parsed.data.calls[index]?.operation ?? "";
      const error = codedOf(answer.error);
      if (answer.error instanceof CodedError) deps.onRefused(operation, error, proven);
      else deps.onBug(operation, answer.error);
      return problemOf(error);
    }),
  };
}

function isQuery(operation: string): boolean {
  try {
    return requireOperation(operation).kind === "query";
  } catch {
    return false;
  }
}

async function begin(act: () => Promise<Answer>): Promise<Answer> {
  try {
    return await act();
  } catch (error) {
    return { ok: false, error, replayed: false };
  }
}
