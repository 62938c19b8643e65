/** Launches that are not over, by generation and state, and those of them that nothing was heard of. */
import type { Reading } from "../commit/statements.ts";
import type { LaunchState } from "../launches/launch-machine.ts";
import { setting } from "../settings/read-settings.ts";

export interface WorkerStatus {
  readonly live: number;
  readonly groups: readonly WorkerGroup[];
  /** Those whose wrapper is silent, the longest first. */
  readonly silent: readonly SilentWorker[];
}

export interface WorkerGroup {
  readonly generation: string;
  readonly state: LaunchState;
  readonly count: number;
  /** How many of them are silent: what stands here of them may be old. */
  readonly silent: number;
  /** Since when the one that is longest in this state is; ISO 8601, UTC. */
  readonly oldestSince: string;
}

export interface SilentWorker {
  readonly launch: string;
  readonly task: string;
  readonly state: LaunchState;
  readonly heardAt: string;
}

// As the sweep that raises `supervision_lost`: an owner that was away heard nobody, and an instant ahead,
// left by a clock that was set back, says nothing.
const GROUPS = `
  SELECT generation, launch.state, count(*) AS count, min(launch.changed_at) AS oldestSince,
         sum(launch.state IN ('awaiting_worker_ready', 'startup_blocked', 'bound', 'stopping', 'uncertain')
             AND max(iif(coalesce(health.at, launch.changed_at) > @now, 0, coalesce(health.at, launch.changed_at)),
                 coalesce(service.fresh_term_at, 0)) <= @silentSince)
           AS silent
    FROM launch INDEXED BY launch_one_live_per_task
    JOIN service
    LEFT JOIN health ON health.launch = launch.id AND health.part = 'wrapper'
   WHERE launch.state NOT IN ('released', 'failed', 'abandoned')
   GROUP BY generation, launch.state ORDER BY generation, launch.state`;

const SILENT = `
  SELECT launch.id AS launch, launch.task, launch.state, coalesce(health.at, launch.changed_at) AS heardAt
    FROM launch INDEXED BY launch_one_live_per_task
    JOIN service
    LEFT JOIN health ON health.launch = launch.id AND health.part = 'wrapper'
   WHERE launch.state NOT IN ('released', 'failed', 'abandoned')
     AND launch.state IN ('awaiting_worker_ready', 'startup_blocked', 'bound', 'stopping', 'uncertain')
     AND max(iif(coalesce(health.at, launch.changed_at) > @now, 0, coalesce(health.at, launch.changed_at)),
                 coalesce(service.fresh_term_at, 0)) <= @silentSince
   ORDER BY heardAt, launch.id LIMIT @limit`;

export function readWorkers(reading: Reading, now: number, limit: number): WorkerStatus {
  const silentSince = now - setting(reading, "worker.silence");
  const groups = reading.all<Omit<WorkerGroup, "oldestSince"> & { oldestSince: number }>(GROUPS, {
    now,
    silentSince,
  });
  const isAnySilent = groups.some(({ silent }) => silent > 0);
  const silent = isAnySilent
    ? reading.all<Omit<SilentWorker, "heardAt"> & { heardAt: number }>(SILENT, { now, silentSince, limit })
    : [];
  return {
    live: groups.reduce((sum, { count }) => sum + count, 0),
    groups: groups.map((row) => ({ ...row, oldestSince: new Date(row.oldestSince).toISOString() })),
    silent: silent.map((row) => ({ ...row, heardAt: new Date(row.heardAt).toISOString() })),
  };
}
