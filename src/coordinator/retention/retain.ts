/**
 * retain: what has settled long ago takes up little room.
 *
 *   in    a transaction of the owner's, at any time; the setting `retention.settled` and `retention.events`
 *   out   how many rows each part took, at most some `MOST_IN_SLICE` of each: the next call goes on
 *
 * Tasks, attempts and launches stay for ever as rows, without what only matters while somebody acts
 * on it: they become summaries in place, so what refers to them still finds them. Settled mail and
 * alarms, old answers and events go. What is uncertain or dead is never touched, whatever its age,
 * and a task that can be tried again keeps its brief.
 */
import { ANSWERS_KEPT_MS, CLOCK_SKEW_MS } from "../commit/command-record.ts";
import type { Transaction } from "../commit/transaction.ts";
import { setting } from "../settings/read-settings.ts";
import { compactAttempts, compactLaunches, compactTasks } from "./compact-rows.ts";
import { dropMail } from "./drop-mail.ts";

export interface RetainSummary {
  readonly tasks: number;
  readonly attempts: number;
  readonly launches: number;
  readonly deliveries: number;
  readonly alarms: number;
  readonly commands: number;
  readonly events: number;
}

/** A slice takes milliseconds; callers wait for it. */
const MOST_IN_SLICE = 200;

export function retain(tx: Transaction): RetainSummary {
  const slice = { until: tx.now - setting(tx, "retention.settled"), most: MOST_IN_SLICE };
  return {
    tasks: compactTasks(tx, slice),
    attempts: compactAttempts(tx, slice),
    launches: compactLaunches(tx, slice),
    deliveries: dropMail(tx, slice),
    alarms: tx.run(DROP_ALARMS, slice),
    // An id may have been made a day ahead of our clock: until it has expired, its answer is needed.
    commands: tx.run(DROP_COMMANDS, { until: tx.now - ANSWERS_KEPT_MS - CLOCK_SKEW_MS, most: MOST_IN_SLICE }),
    events: tx.run(DROP_EVENTS, { kept: setting(tx, "retention.events"), most: MOST_IN_SLICE }),
  };
}

const DROP_ALARMS = `
  DELETE FROM alarm WHERE rowid IN (
    SELECT rowid FROM alarm WHERE resolved_at IS NOT NULL AND resolved_at <= @until ORDER BY resolved_at LIMIT @most)`;

const DROP_COMMANDS = `
  DELETE FROM command WHERE (actor, id) IN (
    SELECT actor, id FROM command WHERE at < @until ORDER BY at LIMIT @most)`;

// By number, not by age: the feed is bounded however much happens.
const DROP_EVENTS = `
  DELETE FROM event WHERE seq IN (
    SELECT seq FROM event WHERE seq <= (SELECT max(seq) FROM event) - @kept ORDER BY seq LIMIT @most)`;
