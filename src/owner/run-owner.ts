/**
 * The life of an owner: lock, ledger, fresh term, API, sweeps; and its end in the opposite order.
 *
 * owner.lock is taken before anything else is touched and given back after everything else, so two
 * owners of one scope never overlap. Every lease gets a fresh term before the first request is
 * heard, since nobody could renew one while no owner ran.
 */

import type { OwnerDescriptor } from "../client/client.ts";
import { type Coordinator, createCoordinator } from "../coordinator/create-coordinator.ts";
import { ledgerFailure } from "../coordinator/ledger/ledger-errors.ts";
import { takeOwnerLock } from "../coordinator/ledger/owner-lock.ts";
import { setting } from "../coordinator/settings/read-settings.ts";
import { grantFreshTerm } from "../coordinator/sweeps/fresh-term.ts";
import { API_VERSIONS } from "../kernel/api-version.ts";
import { CodedError, invariant, systemCode } from "../kernel/errors.ts";
import { pause } from "../kernel/timers.ts";
import { endEndpoint } from "../operations/scope/endpoint.ts";
import { type ScopeLayout, scopeLayout } from "../operations/scope/scope-layout.ts";
import { type Api, createApi } from "./api/create-api.ts";
import { createLog, type Log } from "./log/rotating-log.ts";
import type { OwnerDeps } from "./owner-deps.ts";
import { createAbsenceWatch } from "./presence/absence-watch.ts";
import { watchPlace } from "./presence/place-watch.ts";
import { grantAfterAbsence, startSweeps } from "./presence/sweeper.ts";
import { enrollKeys } from "./scope/enroll-keys.ts";
import { ensureKey } from "./scope/keys.ts";
import { openScopeLedger, recordBegun } from "./scope/open-scope-ledger.ts";
import { prepareScopeFolder } from "./scope/prepare-folder.ts";
import { recordInStore, releaseInStore } from "./scope/store-record.ts";
import { keepListening } from "./server/keep-listening.ts";

const BUSY_MS = 500;

/** How long an owner that stops waits for answers that are on their way. */
const DRAIN_MS = 5_000;

export interface RunningOwner {
  readonly descriptor: () => OwnerDescriptor;
  readonly socket: string;
  readonly tcpPort: number | null;
  /** Resolves once the owner has ended, whoever asked for it. */
  readonly ended: Promise<void>;
  /** Finishes what is in flight and ends. */
  stop(why: string): Promise<void>;
}

/** Resolves once it serves. `wrong_state` where another owner does; whatever refuses its ledger. */
export async function runOwner(deps: OwnerDeps): Promise<RunningOwner> {
  const layout = scopeLayout(deps.state, deps.name.scope);
  prepareScopeFolder(layout, deps.uid);
  const lock = takeOwnerLock(layout.lock);
  if (lock === "held") throw anotherOwner(deps, layout);
  const closers: (() => void)[] = [
    () => lock.release(),
    // While the lock is held, since the next owner records its own.
    () => endEndpoint(layout.endpoint),
  ];
  try {
    return await serve(deps, layout, closers);
  } catch (error) {
    closeAll(closers);
    throw startFailure(error);
  }
}

/** A file that cannot be written is told as what it is, not as a bug. */
function startFailure(error: unknown): unknown {
  return /^E[A-Z0-9]+$/.test(systemCode(error) ?? "") ? ledgerFailure(error) : error;
}

/** All of them, whatever one throws: the lock comes last. */
function closeAll(closers: (() => void)[]): void {
  const close = closers.pop();
  if (close === undefined) return;
  try {
    close();
  } finally {
    closeAll(closers);
  }
}

async function serve(deps: OwnerDeps, layout: ScopeLayout, closers: (() => void)[]): Promise<RunningOwner> {
  const { clock, timers } = deps;
  const log = createLog({ path: layout.log, clock, pid: deps.process.pid });
  closers.push(() => log.close());
  const { coordinator, ledger } = await openCoordinator(deps, layout, log);
  closers.push(() => coordinator.close());

  let state: OwnerDescriptor["state"] = "serving";
  let stop: RunningOwner["stop"] = () => Promise.resolve();
  const startedAt = new Date(clock.now()).toISOString();
  let tcpPort: number | null = null;
  const descriptor = (): OwnerDescriptor => ({ ...describe(deps, ledger), tcpPort, startedAt, state });
  const api = createApi({
    coordinator,
    clock,
    timers,
    descriptor,
    onStop: (actor) => void stop(`asked by ${actor}`),
    onBug: (what, error) => logBug(log, what, error),
  });
  const chosenPort = setting(coordinator.reading, "api.tcp-port") || null;
  const listening = await keepListening({ api, deps, layout, log, chosenPort });
  ({ tcpPort } = listening);
  const stopSweeps = startSweeps({ coordinator, timers, log });
  const stopWatch = watchPlace({
    ledger: layout.ledger,
    timers,
    lookAtSocket: listening.look,
    onFailure: (message) => log.write("error", "the owner is out of reach", { message }),
    onLedgerGone() {
      log.write("error", "the ledger is gone", { ledger: layout.ledger });
      void stop("its ledger was moved or removed");
    },
  });
  log.write("info", "serving", { ...descriptor(), socket: listening.socket() });

  const end = async (why: string): Promise<void> => {
    state = "stopping";
    log.write("info", "stopping", { why });
    stopSweeps();
    stopWatch();
    await drain(api, deps);
    await listening.close();
    releaseInStore(deps, log);
    log.write("info", "stopped", { why });
    closeAll(closers);
  };
  let stopping: Promise<void> | null = null;
  const ended = new Promise<void>((resolve, reject) => {
    stop = (why) => {
      stopping ??= end(why);
      stopping.then(resolve, reject);
      return stopping;
    };
  });
  return { descriptor, socket: listening.socket(), tcpPort, ended, stop: (why) => stop(why) };
}

type LedgerFacts = Pick<OwnerDescriptor, "instance" | "schema" | "probation">;

async function openCoordinator(
  deps: OwnerDeps,
  layout: ScopeLayout,
  log: Log,
): Promise<{ readonly coordinator: Coordinator; readonly ledger: LedgerFacts }> {
  const { clock, ids, defer, failpoints, name } = deps;
  let probation = false;
  const onInstance = (instance: string, isNew: boolean) => {
    probation = recordInStore(deps, { instance, isNew, folder: layout.folder, log });
  };
  const { db, instance } = openScopeLedger({ layout, name, clock, ids, onInstance });
  // Nobody else writes to it. Somebody who does all the same keeps one batch waiting for this long, and
  // with it everything that this process does; a client waits better, and asks again.
  db.pragma(`busy_timeout = ${BUSY_MS}`);
  const watch = createAbsenceWatch(deps.absence);
  const before = grantAfterAbsence(watch, log);
  const coordinator = createCoordinator({ db, clock, ids, defer, failpoints, before });
  try {
    const digests = {
      operator: ensureKey(layout.operatorKey, ids),
      launcher: ensureKey(layout.launcherKey, ids),
    };
    const answer = await coordinator.submit({
      record: null,
      execute(tx) {
        enrollKeys(tx, digests);
        return grantFreshTerm(tx, "owner_start");
      },
    });
    if (!answer.ok) throw answer.error;
    recordBegun(layout, { ...name, instance });
    const version = db.pragma("user_version", { simple: true }) as number;
    const schema = { major: Math.floor(version / 1000), minor: version % 1000 };
    return { coordinator, ledger: { instance, schema, probation } };
  } catch (error) {
    coordinator.close();
    throw error;
  }
}

function describe(
  { name, generation, build, process, api = API_VERSIONS }: OwnerDeps,
  ledger: LedgerFacts,
): Omit<OwnerDescriptor, "startedAt" | "state" | "tcpPort"> {
  return { ...name, ...ledger, generation, build, api, process };
}

/** Requests that are being answered get their answers; one that takes too long is left to be sent again. */
async function drain(api: Api, { timers }: OwnerDeps): Promise<void> {
  const over = new AbortController();
  await Promise.race([api.stop(), pause(timers, DRAIN_MS, over.signal)]);
  over.abort();
}

function anotherOwner({ name }: OwnerDeps, { lock }: ScopeLayout): CodedError {
  return new CodedError("wrong_state", `Another owner serves scope ${name.scope} (${name.root}).`, {
    hint: "swarm-gen owner status shows it; swarm-gen owner stop ends it.",
    fields: { scope: name.scope, root: name.root, lock, changed: false },
  });
}

function logBug(log: Log, what: string, error: unknown): void {
  invariant(error !== undefined, "a bug is an error");
  const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
  log.write("error", "bug", { operation: what, message, stack });
}
