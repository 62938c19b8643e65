/** A project on one screen: what holds it, what is under way, and what needs somebody. */
import type { ScopeStatus } from "../../../../operations/scope-status.ts";
import { countText, secondText, shortId, spanText } from "../quantities.ts";
import type { Style } from "../style.ts";
import { facts, table } from "../table.ts";

export function statusText(status: ScopeStatus, style: Style): string {
  const { alarms, workers, unresolved, inboxes } = status;
  const ago = (instant: string) => spanText(Date.parse(status.at) - Date.parse(instant));
  return [
    facts(headFacts(status, ago), style),
    ...(workers.groups.length === 0
      ? []
      : [
          table(
            workers.groups,
            [
              { title: "WORKERS", align: "right", value: (row) => String(row.count) },
              { title: "STATE", value: (row) => row.state.replaceAll("_", " ") },
              { title: "GENERATION", value: (row) => shortId(row.generation) },
              {
                title: "SILENT",
                align: "right",
                value: (row) => (row.silent === 0 ? "-" : String(row.silent)),
              },
              { title: "OLDEST", align: "right", value: (row) => ago(row.oldestSince) },
            ],
            style,
          ),
        ]),
    ...(alarms.open === 0
      ? []
      : [
          table(
            alarms.newest,
            [
              {
                title: `ALARMS (${alarms.open})`,
                value: (row) => row.kind.replaceAll("_", " "),
                paint: (text) => style.red(text),
              },
              { title: "OF", value: (row) => `${row.subjectKind} ${row.subject}` },
              { title: "FOR", align: "right", value: (row) => ago(row.raisedAt) },
              { title: "DETAIL", value: (row) => row.detail },
            ],
            style,
          ),
        ]),
    ...(unresolved.oldest.length === 0
      ? []
      : [
          table(
            unresolved.oldest,
            [
              {
                title: "UNRESOLVED",
                value: (row) => `${row.kind} ${row.id}`,
                paint: (text) => style.yellow(text),
              },
              { title: "STATE", value: (row) => row.state },
              { title: "OF", value: (row) => row.actor ?? "-" },
              { title: "FOR", align: "right", value: (row) => ago(row.since) },
              { title: "REASON", value: (row) => row.reason ?? "-" },
            ],
            style,
          ),
        ]),
    ...(inboxes.fullest.length === 0
      ? []
      : [
          table(
            inboxes.fullest,
            [
              { title: "INBOX", value: (row) => row.actor },
              { title: "WAITING", align: "right", value: (row) => String(row.waiting) },
              { title: "OLDEST", align: "right", value: (row) => ago(row.oldestSentAt) },
            ],
            style,
          ),
        ]),
  ].join("\n\n");
}

type Pairs = (readonly [string, string])[];

function headFacts(status: ScopeStatus, ago: (instant: string) => string): Pairs {
  const { scope, owner, pause, tasks, workers, alarms, inboxes, at } = status;
  const { open, running, cancel_requested: stopping, completed, failed, cancelled } = tasks;
  const from = (generation: string | null, build: string) =>
    generation === null ? `build ${build}, of no generation` : shortId(generation);
  return [
    ["project", `${scope.root}, profile ${scope.profile}`],
    [
      "owner",
      owner === null
        ? `does not run; all below is of ${secondText(at)} UTC, when the last one served`
        : `process ${owner.process.pid} for ${ago(owner.startedAt)}, from ${from(owner.generation, owner.build)}`,
    ],
    ...(pause === null
      ? []
      : [["paused", `by ${pause.heldBy} for ${ago(pause.since)}: ${pause.reason}`] as const]),
    [
      "tasks",
      `${open} open, ${running} running${stopping === 0 ? "" : `, ${stopping} to be cancelled`}; ` +
        `${completed} completed, ${failed} failed, ${cancelled} cancelled`,
    ],
    ["workers", workers.live === 0 ? "none" : `${workers.live}, ${workers.silent.length} of them silent`],
    ["alarms", alarms.open === 0 ? "none" : String(alarms.open)],
    [
      "mail",
      inboxes.waiting === 0
        ? "none waits"
        : `${countText(inboxes.waiting, "message")} for ${inboxes.recipients}`,
    ],
  ];
}
