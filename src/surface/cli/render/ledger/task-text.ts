/** Tasks for people: many as a table, one with its attempts and what is wrong. */
import { cleanLines } from "../clean-text.ts";
import { instantText, secondText } from "../quantities.ts";
import type { Style } from "../style.ts";
import { facts, table } from "../table.ts";
import { cellText } from "../value-text.ts";
import { launchTable } from "./launch-text.ts";
import type { OutputOf } from "./operation-output.ts";

type Shown = OutputOf<"task show">;
type Task = Pick<Shown, keyof OutputOf<"task add">>;

export function tasksText({ tasks, next }: OutputOf<"task ls">, style: Style): string {
  if (tasks.length === 0) return "No tasks.";
  const rows = table(
    tasks,
    [
      { title: "TASK", value: (row) => row.task },
      {
        title: "STATE",
        value: (row) => stateWord(row),
        paint: (text, row) => painted(text, row.state, style),
      },
      { title: "FENCE", align: "right", value: (row) => String(row.fence) },
      { title: "HOLDER", value: (row) => row.holder ?? "-" },
      { title: "ADDED (UTC)", value: (row) => instantText(row.createdAt) },
      { title: "TITLE", value: (row) => row.title },
    ],
    style,
  );
  return next === null ? rows : `${rows}\nmore: --after ${next}`;
}

export function taskText(task: Task, style: Style): string {
  return facts(taskFacts(task), style);
}

export function shownTaskText(shown: Shown, style: Style): string {
  const { brief, attempts, launches, alarms } = shown;
  return [
    facts(taskFacts(shown), style),
    cleanLines(brief.objective),
    ...(attempts.length === 0 ? [] : [attemptsText(attempts, style)]),
    ...(launches.length === 0 ? [] : [launchTable(launches, style)]),
    ...alarms.map((alarm) => style.red(cleanLines(`alarm ${alarm.alarm}: ${alarm.kind}, ${alarm.detail}`))),
  ].join("\n\n");
}

function taskFacts(task: Task): (readonly [string, string])[] {
  const { state, fence, createdBy, createdAt, endedAt, cancelReason, dependsOn, waitsFor, brief } = task;
  const ended = endedAt === null ? "" : ` since ${secondText(endedAt)} UTC`;
  const optional: (readonly [string, string])[] = [
    ["cancel", cancelReason ?? ""],
    ["depends on", dependsOn.join(", ")],
    ["waits for", waitsFor.join(", ")],
    ["worktree", brief.worktree ?? ""],
    ["acceptance", brief.acceptance ?? ""],
    ["limits", brief.limits ?? ""],
  ];
  return [
    ["task", task.task],
    ["title", task.title],
    ["state", `${state.replace("_", " ")}${ended}`],
    ["fence", String(fence)],
    ["added", `${secondText(createdAt)} UTC by ${createdBy}`],
    ...optional.filter(([, value]) => value !== ""),
  ];
}

function attemptsText(attempts: Shown["attempts"], style: Style): string {
  return table(
    attempts,
    [
      { title: "FENCE", align: "right", value: (row) => String(row.fence) },
      { title: "ATTEMPT", value: (row) => row.state, paint: (text, row) => painted(text, row.state, style) },
      { title: "BY", value: (row) => row.actor },
      { title: "STARTED (UTC)", value: (row) => secondText(row.startedAt) },
      { title: "ENDED", value: (row) => cellText(row.endedAt) },
      { title: "LAST PROGRESS", value: (row) => secondText(row.progressAt) },
      { title: "NOTE", value: (row) => row.progressNote ?? "-" },
    ],
    style,
  );
}

// A task that is open and may not be claimed yet says so.
function stateWord({ state, waitsFor }: OutputOf<"task ls">["tasks"][number]): string {
  if (state === "open" && waitsFor > 0) return `open, waits for ${waitsFor}`;
  return state.replace("_", " ");
}

function painted(text: string, state: string, style: Style): string {
  if (state === "failed" || state === "uncertain" || state === "abandoned") return style.red(text);
  if (state === "running" || state === "cancel_requested") return style.yellow(text);
  return state === "completed" ? style.green(text) : text;
}
