/** Launches for people, as a table: which worker runs what, on which generation. */
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
