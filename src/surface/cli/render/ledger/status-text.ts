/**
 * A project on one screen: what holds it, what is under way, and what needs somebody. Lists are cut
 * to what fits; `--json` and the commands of each area have more.
 */
import type { ScopeStatus } from "../../../../operations/scope-status.ts";
import { countText, secondText, shortId, spanText } from "../quantities.ts";
import type { Style } from "../style.ts";
import { facts, table } from "../table.ts";

const MOST_LINES = 8;

type Ago = (instant: string) => string;

export function statusText(status: ScopeStatus, style: Style): string {
  const ago: Ago = (instant) => spanText(Date.parse(status.at) - Date.parse(instant));
  return [
    facts(headFacts(status, ago), style),
    workersText(status, ago, style),
    alarmsText(status, ago, style),
    unresolvedText(status, ago, style),
    inboxesText(status, ago, style),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function headFacts(status: ScopeStatus, ago: Ago): (readonly [string, string])[] {
  const { scope, pause, tasks, workers, alarms, inboxes } = status;
  const { open, running, cancel_requested: stopping, completed, failed, cancelled } = tasks;
  const silent = workers.groups.reduce((sum, group) => sum + group.silent, 0);
  const mail = `${countText(inboxes.waiting, "message")} for ${countText(inboxes.recipients, "recipient")}`;
  return [
    ["project", `${scope.root}, profile ${scope.profile}`],
    ["owner", ownerFact(status, ago)],
    ...(pause === null
      ? []
      : [["paused", `by ${pause.heldBy} for ${ago(pause.since)}: ${pause.reason}`] as const]),
    [
      "tasks",
      `${open} open, ${running} running${stopping === 0 ? "" : `, ${stopping} to be cancelled`}; ` +
        `${completed} completed, ${failed} failed, ${cancelled} cancelled`,
    ],
    ["workers", workers.live === 0 ? "none" : `${workers.live}, ${silent} of them silent`],
    ["alarms", alarms.open === 0 ? "none" : String(alarms.open)],
    ["mail", inboxes.waiting === 0 ? "none waits" : mail],
  ];
}

function ownerFact({ owner, at }: ScopeStatus, ago: Ago): string {
  if (owner === null) {
    return `does not run; all below is of ${secondText(at)} UTC, when the last one served`;
  }
  const from =
    owner.generation === null ? `build ${owner.build}, of no generation` : shortId(owner.generation);
  return `process ${owner.process.pid} for ${ago(owner.startedAt)}, from ${from}`;
}

function workersText({ workers }: ScopeStatus, ago: Ago, style: Style): string {
  if (workers.groups.length === 0) return "";
  return table(
    workers.groups,
    [
      { title: "WORKERS", align: "right", value: (row) => String(row.count) },
      { title: "STATE", value: (row) => row.state.replaceAll("_", " ") },
      { title: "GENERATION", value: (row) => shortId(row.generation) },
      { title: "SILENT", align: "right", value: (row) => (row.silent === 0 ? "-" : String(row.silent)) },
      { title: "OLDEST", align: "right", value: (row) => ago(row.oldestSince) },
    ],
    style,
  );
}

function alarmsText({ alarms }: ScopeStatus, ago: Ago, style: Style): string {
  if (alarms.open === 0) return "";
  const rows = table(
    alarms.newest.slice(0, MOST_LINES),
    [
      { title: "ALARM", value: (row) => row.kind.replaceAll("_", " "), paint: (text) => style.red(text) },
      { title: "OF", value: (row) => `${row.subjectKind} ${row.subject}` },
      { title: "FOR", align: "right", value: (row) => ago(row.raisedAt) },
      { title: "DETAIL", value: (row) => row.detail },
    ],
    style,
  );
  return rows + more(alarms.open, "swarm-gen alarm ls");
}

function unresolvedText({ unresolved }: ScopeStatus, ago: Ago, style: Style): string {
  const { launches, attempts, uncertainMessages, deadMessages, oldest } = unresolved;
  if (oldest.length === 0) return "";
  const rows = table(
    oldest.slice(0, MOST_LINES),
    [
      { title: "UNRESOLVED", value: (row) => `${row.kind} ${row.id}`, paint: (text) => style.yellow(text) },
      { title: "STATE", value: (row) => row.state },
      { title: "OF", value: (row) => row.actor ?? "-" },
      { title: "FOR", align: "right", value: (row) => ago(row.since) },
      { title: "REASON", value: (row) => row.reason ?? "-" },
    ],
    style,
  );
  return rows + more(launches + attempts + uncertainMessages + deadMessages, "--json");
}

function inboxesText({ inboxes }: ScopeStatus, ago: Ago, style: Style): string {
  if (inboxes.fullest.length === 0) return "";
  const rows = table(
    inboxes.fullest.slice(0, MOST_LINES),
    [
      { title: "INBOX", value: (row) => row.actor },
      { title: "WAITING", align: "right", value: (row) => String(row.waiting) },
      { title: "OLDEST", align: "right", value: (row) => ago(row.oldestSentAt) },
    ],
    style,
  );
  return rows + more(inboxes.recipients, "swarm-gen inbox ls");
}

function more(count: number, where: string): string {
  return count <= MOST_LINES ? "" : `\n… and ${count - MOST_LINES} more: ${where}`;
}
