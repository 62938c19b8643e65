/**
 * The code and the schemas of each operation, by name: what a server runs.
 *
 * Loads zod, so no command line imports it. An input is parsed here once, at the edge, and is
 * typed from there on; the compiler holds each schema to what the coordinator's function takes.
 */
import type { z } from "zod";
import type { Reading } from "../../coordinator/commit/statements.ts";
import type { Caller, Transaction } from "../../coordinator/commit/transaction.ts";
import { ALARM_CODE } from "./alarm-code.ts";
import { ATTEMPT_CODE } from "./attempt-code.ts";
import { INBOX_CODE } from "./inbox-code.ts";
import { LAUNCH_CODE } from "./launch-code.ts";
import type { OperationName } from "./operation-table.ts";
import { SCOPE_CODE } from "./scope-code.ts";
import { STATUS_CODE } from "./status-code.ts";
import { TASK_CODE } from "./task-code.ts";

export interface CommandCode<Input, Output> {
  readonly input: z.ZodType<Input>;
  readonly output: z.ZodType<Output>;
  readonly run: (transaction: Transaction, caller: Caller, input: Input) => Output;
}

export interface QueryCode<Input, Output> {
  readonly input: z.ZodType<Input>;
  readonly output: z.ZodType<Output>;
  readonly query: (reading: Reading, caller: Caller, input: Input, now: number) => Output;
}

// biome-ignore lint/suspicious/noExplicitAny: each row's own types are checked where it is written
export type OperationCode = CommandCode<any, any> | QueryCode<any, any>;

/** Each with its own types; what calls one by name takes `OPERATION_CODE`. */
export const CODE = {
  ...TASK_CODE,
  ...ATTEMPT_CODE,
  ...LAUNCH_CODE,
  ...INBOX_CODE,
  ...ALARM_CODE,
  ...SCOPE_CODE,
  ...STATUS_CODE,
} as const satisfies Readonly<Record<OperationName, OperationCode>>;

export const OPERATION_CODE: Readonly<Record<OperationName, OperationCode>> = { ...CODE };
