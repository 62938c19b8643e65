/** All operations of the ledger, in the order in which documents list them. */
import { ALARM_ROWS } from "./alarm-rows.ts";
import { ATTEMPT_ROWS } from "./attempt-rows.ts";
import { INBOX_ROWS } from "./inbox-rows.ts";
import { LAUNCH_ROWS } from "./launch-rows.ts";
import type { OperationRow } from "./operation-row.ts";
import { SCOPE_ROWS } from "./scope-rows.ts";
import { TASK_ROWS } from "./task-rows.ts";

export const LEDGER_OPERATIONS = {
  ...TASK_ROWS,
  ...ATTEMPT_ROWS,
  ...LAUNCH_ROWS,
  ...INBOX_ROWS,
  ...ALARM_ROWS,
  ...SCOPE_ROWS,
} as const satisfies Record<string, OperationRow>;

export type OperationName = keyof typeof LEDGER_OPERATIONS;

/** `/v1/task.add` */
export function routeOf(name: string): string {
  return `/v1/${name.replaceAll(" ", ".")}`;
}
