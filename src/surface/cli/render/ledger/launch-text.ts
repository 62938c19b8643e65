/** Intents and launches for people, as tables: what was asked for, and which worker runs it where. */
import { secondText, shortId } from "../quantities.ts";
import type { Style } from "../style.ts";
import { table } from "../table.ts";
import type { OutputOf } from "./operation-output.ts";

type Page = OutputOf<"launch ls">;

export function launchesText({ launches, next }: Page, style: Style): string {
  if (launches.length === 0) return "No launches.";
  const rows = launchTable(launches, style);
  return next === null ? rows : `${rows}\nmore: --after ${next}`;
}

export function intentsText({ intents, next }: OutputOf<"intent ls">, style: Style): string {
  if (intents.length === 0) return "No intents.";
  const rows = table(
    intents,
    [
      { title: "INTENT", value: (row) => row.intent },
      { title: "TASK", value: (row) => row.task },
      { title: "REQUESTED", value: (row) => selectionText(row.requested) },
      { title: "BY", value: (row) => row.createdBy },
      { title: "CREATED (UTC)", value: (row) => secondText(row.createdAt) },
    ],
    style,
  );
  return next === null ? rows : `${rows}\nmore: --after ${next}`;
}

function selectionText(selection: Readonly<Record<string, unknown>>): string {
  const named = Object.entries(selection).map(([key, value]) => `${key}=${String(value)}`);
  return named.length === 0 ? "-" : named.join(" ");
}

export function launchTable(launches: Page["launches"], style: Style): string {
  return table(
    launches,
    [
      { title: "LAUNCH", value: (row) => row.launch },
      {
        title: "STATE",
        value: (row) => row.state.replaceAll("_", " "),
        paint: (text, row) => (row.state === "uncertain" || row.state === "failed" ? style.red(text) : text),
      },
      { title: "TASK", value: (row) => row.task },
      { title: "GENERATION", value: (row) => shortId(row.generation) },
      { title: "HARNESS", value: (row) => row.harness },
      { title: "SINCE (UTC)", value: (row) => secondText(row.changedAt) },
      { title: "REASON", value: (row) => row.reason ?? "-" },
    ],
    style,
  );
}
