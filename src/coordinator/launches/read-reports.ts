/** What was reported of a launch, as every surface shows it: readiness, health, activity, history. */
import { invariant } from "../../kernel/errors.ts";
import type { Reading } from "../commit/statements.ts";
import type { LaunchState } from "./launch-machine.ts";

export type HealthPart = "wrapper" | "mcp" | "harness" | "hooks";
export type HealthState = "connected" | "ready" | "blocked" | "unknown";
export type Activity = "busy" | "available" | "ended";

export interface Readiness {
  readonly mcpInstance: string;
  readonly nativeSession: string;
  readonly issuedAt: string;
  readonly answeredAt: string | null;
  /** Null while it stands. */
  readonly voidedAt: string | null;
  readonly fence: number | null;
}

interface ReadinessRow extends Omit<Readiness, "issuedAt" | "answeredAt" | "voidedAt"> {
  readonly issuedAt: number;
  readonly answeredAt: number | null;
  readonly voidedAt: number | null;
}

const READINESS = `
  SELECT mcp_instance AS mcpInstance, native_session AS nativeSession, issued_at AS issuedAt,
         answered_at AS answeredAt, voided_at AS voidedAt, fence
    FROM readiness WHERE launch = @launch ORDER BY voided_at IS NULL DESC, issued_at DESC LIMIT 20`;

/** The standing one first, then the newest of those that are void. */
export function readAllReadiness(reading: Reading, launch: string): Readiness[] {
  return reading.all<ReadinessRow>(READINESS, { launch }).map((row) => ({
    ...row,
    issuedAt: iso(row.issuedAt),
    answeredAt: row.answeredAt === null ? null : iso(row.answeredAt),
    voidedAt: row.voidedAt === null ? null : iso(row.voidedAt),
  }));
}

export function readReadiness(reading: Reading, launch: string): Readiness {
  const [standing] = readAllReadiness(reading, launch);
  invariant(standing !== undefined, `launch ${launch} has been challenged`);
  return standing;
}

export interface Health {
  readonly part: HealthPart;
  readonly state: HealthState;
  readonly reason: string | null;
  readonly pid: number | null;
  readonly startTime: string | null;
  readonly boot: string | null;
  readonly at: string;
}

export function readAllHealth(reading: Reading, launch: string): Health[] {
  const rows = reading.all<Omit<Health, "at"> & { at: number }>(
    `SELECT part, state, reason, pid, start_time AS startTime, boot, at FROM health
      WHERE launch = @launch ORDER BY part`,
    { launch },
  );
  return rows.map((row) => ({ ...row, at: iso(row.at) }));
}

export function readHealth(
  reading: Reading,
  { launch, part }: { readonly launch: string; readonly part: HealthPart },
): Health {
  const health = readAllHealth(reading, launch).find((row) => row.part === part);
  invariant(health !== undefined, `${part} of launch ${launch} has been reported`);
  return health;
}

export interface Observation {
  readonly activity: Activity;
  readonly source: string;
  readonly at: string;
}

export function findObservation(reading: Reading, launch: string): Observation | null {
  const row = reading.get<Omit<Observation, "at"> & { at: number }>(
    "SELECT activity, source, at FROM observation WHERE launch = @launch",
    { launch },
  );
  return row === undefined ? null : { ...row, at: iso(row.at) };
}

export function readObservation(reading: Reading, launch: string): Observation {
  const observation = findObservation(reading, launch);
  invariant(observation !== null, `launch ${launch} has been observed`);
  return observation;
}

export interface LaunchHistoryEntry {
  readonly seq: number;
  readonly at: string;
  readonly source: string;
  readonly state: LaunchState;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Oldest first. */
export function readLaunchHistory(reading: Reading, launch: string): LaunchHistoryEntry[] {
  const rows = reading.all<{ seq: number; at: number; source: string; state: LaunchState; detail: string }>(
    "SELECT seq, at, source, state, detail FROM launch_event WHERE launch = @launch ORDER BY seq",
    { launch },
  );
  return rows.map((row) => ({
    ...row,
    at: iso(row.at),
    detail: JSON.parse(row.detail) as LaunchHistoryEntry["detail"],
  }));
}

const iso = (at: number): string => new Date(at).toISOString();
