/**
 * Admission of a profile: one row, open or closed, with an epoch that grows at every close. Launch
 * pins are tickets of it: taken only while it is open, started only at the epoch they were taken
 * at (GATE-1). It outlives the command that closed it; who holds it is on record.
 */
import { CodedError } from "../../kernel/errors.ts";
import type { Index } from "../index/open-index.ts";
import type { Admission, AdmissionControl } from "../launch-admission.ts";
import type { StoreContext } from "../store-context.ts";

interface AdmissionRow {
  readonly profile: string;
  readonly state: "open" | "closed";
  readonly epoch: number;
  readonly command: string | null;
  readonly pid: number | null;
  readonly startTime: string | null;
  readonly boot: string | null;
  readonly target: string | null;
  readonly reason: string | null;
  readonly since: number | null;
}

export function createAdmission(context: StoreContext): AdmissionControl {
  return {
    read: (profile) => readAdmission(context.reading(), profile),
    close(request) {
      const db = context.writing();
      return db
        .transaction(() => {
          const { epoch } = requireOpenAdmission(db, request.profile);
          const since = context.clock.now();
          writeAdmission(db, {
            ...request,
            state: "closed",
            epoch: epoch + 1,
            since,
            ...context.processes.self(),
          });
          return readAdmission(db, request.profile);
        })
        .immediate();
    },
    open({ profile, epoch }) {
      const db = context.writing();
      return db
        .transaction(() => {
          requireHeldEpoch(db, profile, epoch);
          const nobody = { command: null, pid: null, startTime: null, boot: null };
          writeAdmission(db, {
            profile,
            state: "open",
            epoch,
            target: null,
            reason: null,
            since: null,
            ...nobody,
          });
          return readAdmission(db, profile);
        })
        .immediate();
    },
  };
}

export function readAdmission(db: Index, profile: string): Admission {
  const row = db
    .prepare(`
      SELECT profile, state, epoch, command, pid, start_time AS startTime, boot, target, reason, since
        FROM admission WHERE profile = @profile`)
    .get({ profile }) as AdmissionRow | undefined;
  if (row === undefined) {
    return { profile, state: "open", epoch: 0, holder: null, target: null, reason: null, since: null };
  }
  const { state, epoch, command, pid, startTime, boot, target, reason, since } = row;
  const holder =
    command === null || pid === null || startTime === null || boot === null
      ? null
      : { command, pid, startTime, boot };
  const sinceText = since === null ? null : new Date(since).toISOString();
  return { profile, state, epoch, holder, target, reason, since: sinceText };
}

/** Throws `admission_closed`, naming the holder, unless admission is open. */
export function requireOpenAdmission(db: Index, profile: string): Admission {
  const admission = readAdmission(db, profile);
  const { state, holder, reason, since, epoch } = admission;
  if (state === "open" || holder === null) return admission;
  throw new CodedError(
    "admission_closed",
    `Admission of profile "${profile}" is closed by "${holder.command}" (process ${holder.pid}) since ${since}: ${reason}.`,
    { fields: { profile, epoch, holder, reason, since, changed: false } },
  );
}

function requireHeldEpoch(db: Index, profile: string, epoch: number): void {
  const admission = readAdmission(db, profile);
  if (admission.state === "closed" && admission.epoch === epoch) return;
  throw new CodedError(
    "admission_lost",
    `Admission of profile "${profile}" is ${admission.state} at epoch ${admission.epoch}, not held at ${epoch}.`,
    { fields: { profile, expected: epoch, epoch: admission.epoch, state: admission.state, changed: false } },
  );
}

function writeAdmission(db: Index, row: AdmissionRow): void {
  db.prepare(`
    INSERT INTO admission (profile, state, epoch, command, pid, start_time, boot, target, reason, since)
    VALUES (@profile, @state, @epoch, @command, @pid, @startTime, @boot, @target, @reason, @since)
    ON CONFLICT (profile) DO UPDATE SET
      state = excluded.state, epoch = excluded.epoch, command = excluded.command, pid = excluded.pid,
      start_time = excluded.start_time, boot = excluded.boot, target = excluded.target,
      reason = excluded.reason, since = excluded.since`).run(row);
}
