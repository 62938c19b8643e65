/**
 * reserveLaunch: one physical try at an intent, before anything is asked of a host. Its pin is
 * taken already, so the id comes from the launcher.
 *
 *   out   the launch; the same id for the same intent and generation is the same launch
 *   throws `task_held` naming the launch or the claim that holds the task, `wrong_state` for a task
 *          that ended or waits for others, `scope_paused`, `idempotency_conflict`
 *
 * At most one launch that has not ended per task, and so per intent: the index
 * `launch_one_live_per_task` says so too.
 */
import { CodedError } from "../../kernel/errors.ts";
import { abandonLapsed } from "../attempts/abandon.ts";
import { whyNotOpen } from "../attempts/claim.ts";
import type { Transaction } from "../commit/transaction.ts";
import { refusePaused } from "../pause/refuse-paused.ts";
import { termOf } from "./launch-terms.ts";
import { appendLaunchEvent } from "./move-launch.ts";
import { type Launch, readIntent, readLaunch } from "./read-launches.ts";

/** What the receipt pins from the beginning; its argv is public and holds no secret (DISPATCH-6). */
export interface ReserveLaunchInput
  extends Pick<
    Launch,
    | "launch"
    | "intent"
    | "generation"
    | "ownerGeneration"
    | "endpoint"
    | "harness"
    | "harnessVersion"
    | "harnessDigest"
    | "startup"
    | "mode"
    | "model"
    | "effort"
    | "argv"
    | "envNames"
    | "cwd"
    | "hostKind"
    | "hostSocket"
  > {
  /** How long it may stay reserved; absent is the setting's. */
  readonly termMs?: number | undefined;
}

const RESERVE = `
  INSERT INTO launch (id, intent, task, state, generation, owner_generation, endpoint, scope_instance,
                      harness, harness_version, harness_digest, startup, mode, model, effort, argv,
                      env_names, cwd, host_kind, host_socket, created_at, changed_at, term_ms, deadline_at)
  SELECT @launch, @intent, task.id, 'reserved', @generation, @ownerGeneration, @endpoint, scope.instance,
         @harness, @harnessVersion, @harnessDigest, @startup, @mode, @model, @effort, @argv,
         @envNames, @cwd, @hostKind, @hostSocket, @now, @now, @termMs, @now + @termMs
    FROM task JOIN scope
   WHERE task.id = @task AND task.state = 'open'
     AND NOT EXISTS (SELECT 1 FROM task_dependency JOIN task AS other ON other.id = depends_on
                      WHERE task_dependency.task = @task AND other.state <> 'completed')
     AND NOT EXISTS (SELECT 1 FROM launch
                      WHERE launch.task = @task AND launch.state NOT IN ('released', 'failed', 'abandoned'))`;

export function reserveLaunch(tx: Transaction, _caller: unknown, input: ReserveLaunchInput): Launch {
  const { launch, intent, generation } = input;
  const known = tx.get<{ intent: string; generation: string }>(
    "SELECT intent, generation FROM launch WHERE id = @launch",
    { launch },
  );
  if (known !== undefined) {
    if (known.intent === intent && known.generation === generation) return readLaunch(tx, launch);
    throw new CodedError(
      "idempotency_conflict",
      `Launch ${launch} is another one, of intent ${known.intent}.`,
      {
        fields: { launch, intent, changed: false },
      },
    );
  }
  refusePaused(tx);
  const { task } = readIntent(tx, intent);
  abandonLapsed(tx, task);
  const { argv, envNames, termMs, ...columns } = input;
  const reserved = tx.run(RESERVE, {
    ...columns,
    task,
    argv: JSON.stringify(argv),
    envNames: JSON.stringify(envNames),
    termMs: termMs ?? termOf(tx, "reserved"),
    now: tx.now,
  });
  if (reserved === 0) throw whyNotOpen(tx, task);
  appendLaunchEvent(tx, { launch, state: "reserved", source: "launcher", detail: { generation } });
  return readLaunch(tx, launch);
}
