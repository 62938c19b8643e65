/**
 * `status` as a whole process beside a bare Node, over a ledger that holds a swarm and its history.
 *
 * The rows are written straight into the file while no owner runs, since a hundred thousand tasks
 * by commands would take longer than all that is measured.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Bench } from "../bench.ts";
import { compare } from "../compare.ts";
import type { Row } from "../row.ts";
import { runTimed } from "../run-timed.ts";
import { createHome, INTERPRETER } from "../swarm-gen.ts";

const AT_MOST = 6;
const ROUNDS = { full: 40, reduced: 10 };
const SIZES = [
  { workers: 0, settled: 0 },
  { workers: 1000, settled: 0 },
  { workers: 1000, settled: 10_000 },
  { workers: 1000, settled: 100_000 },
];

export function measureStatus(bench: Bench): Row[] {
  return (bench.reduced ? SIZES.slice(0, 2) : SIZES).flatMap((size) => measureSize(bench, size));
}

interface Size {
  readonly workers: number;
  readonly settled: number;
}

function measureSize(bench: Bench, { workers, settled }: Size): Row[] {
  const project = bench.fresh("project");
  mkdirSync(project);
  const home = createHome(bench.fresh("home"));
  const scope = ["--scope", project];
  home.run("owner", "start", ...scope);
  home.run("owner", "stop", ...scope);
  const { folder } = JSON.parse(home.run("owner", "status", "--json", ...scope).stdout) as { folder: string };
  fill(join(folder, "ledger.sqlite"), { workers, settled });
  home.run("owner", "start", ...scope);
  try {
    const full = workers === 1000 && settled === 100_000;
    return compare(bench, {
      operation: `status, ${workers} workers, ${settled} settled tasks`,
      ours: () => home.run("status", "--json", ...scope).ms,
      others: [
        {
          against: "node -e 0",
          run: () => runTimed(INTERPRETER, ["-e", "0"]).ms,
          atMost: full ? AT_MOST : null,
        },
      ],
      rounds: bench.reduced ? ROUNDS.reduced : ROUNDS.full,
      writes: false,
    });
  } finally {
    home.run("owner", "stop", ...scope);
  }
}

/** A task for each worker, held by an attempt of its bound launch; and tasks long completed. */
function fill(path: string, { workers, settled }: Size): void {
  const db = new Database(path, { fileMustExist: true });
  db.pragma("synchronous = OFF");
  db.transaction(() => {
    const now = Date.now();
    db.prepare(SETTLED).run({ settled, now });
    for (const sql of WORKERS) db.prepare(sql).run({ workers, now });
  })();
  db.close();
}

const NUMBERS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <";

const SETTLED = `
  INSERT INTO task (id, title, brief, created_by, created_at, state, version, last_fence, ended_at)
  ${NUMBERS} @settled)
  SELECT printf('t-%012x', i), 'settled ' || i, '{"objective":"nothing"}', 'operator', @now, 'completed', 3, 1, @now
    FROM n WHERE @settled > 0`;

const WORKERS = [
  `INSERT INTO actor (id, kind, label, created_at)
   ${NUMBERS} @workers) SELECT printf('w-%012x', i), 'worker', 'worker ' || i, @now FROM n WHERE @workers > 0`,
  `INSERT INTO enrollment (actor, revision, consumer, capability_digest, state, created_at)
   ${NUMBERS} @workers)
   SELECT printf('w-%012x', i), 1, 'channel', printf('%064x', i), 'active', @now FROM n WHERE @workers > 0`,
  `INSERT INTO task (id, title, brief, created_by, created_at, state, version, last_fence)
   ${NUMBERS} @workers)
   SELECT printf('t-ff%010x', i), 'task ' || i, '{"objective":"nothing"}', 'operator', @now, 'running', 2, 1
     FROM n WHERE @workers > 0`,
  `INSERT INTO intent (id, fingerprint, task, requested, resolved, origins, created_by, created_at)
   ${NUMBERS} @workers)
   SELECT 'intent-' || i, printf('%064x', i), printf('t-ff%010x', i), '{}', '{}', '{}', 'operator', @now
     FROM n WHERE @workers > 0`,
  `INSERT INTO launch (id, intent, task, state, actor, revision, generation, owner_generation, endpoint,
                       scope_instance, harness, startup, mode, argv, env_names, cwd, host_kind, created_at, changed_at)
   ${NUMBERS} @workers)
   SELECT printf('l-%012x', i), 'intent-' || i, printf('t-ff%010x', i), 'bound', printf('w-%012x', i), 1,
          printf('%064x', i % 4), printf('%064x', 0), '/nowhere', 'instance', 'rehearsal', 'approved', 'interactive',
          '[]', '[]', '/', 'detached', @now, @now
     FROM n WHERE @workers > 0`,
  `INSERT INTO attempt (task, fence, actor, revision, launch, state, started_at, lease_until, renewed_at,
                        progress_at, progress_timeout_ms, progress_due_at)
   ${NUMBERS} @workers)
   SELECT printf('t-ff%010x', i), 1, printf('w-%012x', i), 1, printf('l-%012x', i), 'running', @now,
          @now + 86400000, @now, @now, 86400000, @now + 86400000 FROM n WHERE @workers > 0`,
  `INSERT INTO health (launch, part, state, at)
   ${NUMBERS} @workers) SELECT printf('l-%012x', i), 'wrapper', 'ready', @now FROM n WHERE @workers > 0`,
];
