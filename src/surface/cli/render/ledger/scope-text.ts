/** Alarms, settings, actors and the feed for people. */
import { cleanText } from "../clean-text.ts";
import { instantText, secondText, termText } from "../quantities.ts";
import type { Style } from "../style.ts";
import { table } from "../table.ts";
import { eventLine } from "./event-line.ts";
import type { OutputOf } from "./operation-output.ts";

export function alarmsText({ alarms, open, next }: OutputOf<"alarm ls">, style: Style): string {
  if (alarms.length === 0) return open === 0 ? "No open alarms." : `None of the ${open} open alarms.`;
  const rows = table(
    alarms,
    [
      { title: "ALARM", value: (row) => row.alarm },
      {
        title: "KIND",
        value: (row) => row.kind.replaceAll("_", " "),
        paint: (text, row) => (row.resolvedAt === null ? style.red(text) : text),
      },
      { title: "OF", value: (row) => `${row.subjectKind} ${row.subject}` },
      { title: "SINCE (UTC)", value: (row) => secondText(row.raisedAt) },
      { title: "ENDED", value: (row) => (row.resolvedAt === null ? "-" : secondText(row.resolvedAt)) },
      { title: "DETAIL", value: (row) => row.detail },
    ],
    style,
  );
  return next === null ? rows : `${rows}\nmore: --after ${next}`;
}

type Setting = OutputOf<"settings get">;

export function settingsText({ settings }: OutputOf<"settings ls">, style: Style): string {
  return table(
    settings,
    [
      { title: "SETTING", value: (row) => row.key },
      { title: "VALUE", align: "right", value: (row) => valueWithUnit(row, row.value) },
      { title: "ORIGIN", value: originOf },
      { title: "WHAT", value: (row) => row.brief },
    ],
    style,
  );
}

export function settingText(setting: Setting, style: Style): string {
  const { key, value, least, most, brief } = setting;
  const bounds = `${valueWithUnit(setting, least)} to ${valueWithUnit(setting, most)}`;
  return `${style.bold(key)}  ${valueWithUnit(setting, value)}  (${originOf(setting)})\n${brief}; ${bounds}`;
}

function valueWithUnit({ unit }: Setting, value: number): string {
  return unit === "count" ? String(value) : termText(value);
}

function originOf({ origin, setBy, setAt }: Setting): string {
  if (origin === "default") return "default";
  return cleanText(`set by ${setBy} at ${setAt === null ? "-" : instantText(setAt)}`);
}

export function actorsText({ actors, next }: OutputOf<"actor ls">, style: Style): string {
  if (actors.length === 0) return "Nobody is enrolled.";
  const rows = table(
    actors,
    [
      { title: "ACTOR", value: (row) => row.actor },
      { title: "KIND", value: (row) => row.kind },
      { title: "REVISION", align: "right", value: (row) => String(row.revision) },
      { title: "STATE", value: (row) => row.state },
      { title: "CONSUMER", value: (row) => row.consumer },
      { title: "ENROLLED (UTC)", value: (row) => instantText(row.enrolledAt) },
      { title: "LABEL", value: (row) => row.label },
    ],
    style,
  );
  return next === null ? rows : `${rows}\nmore: --after ${next}`;
}

export function eventsText({ events, next, isMore, missing }: OutputOf<"events">): string {
  return [
    ...(missing === null ? [] : [`(events ${missing.first} to ${missing.last} are no longer kept)`]),
    ...events.map(eventLine),
    ...(events.length === 0 ? ["No events."] : []),
    ...(isMore ? [`more: --since ${next}`] : []),
  ].join("\n");
}

export function pauseText({ heldBy, reason }: OutputOf<"pause">): string {
  return cleanText(`The project is held by ${heldBy}: ${reason}. Nothing new begins until swarm-gen resume.`);
}

export function resumeText({ ended }: OutputOf<"resume">): string {
  if (ended === null) return "Nobody held the project; nothing was changed.";
  const { heldBy, since, reason } = ended;
  return cleanText(`Work goes on; ${heldBy} held the project since ${secondText(since)} UTC: ${reason}.`);
}
