import { describe, expect, it } from "vitest";
import { eventLine } from "../../src/surface/cli/render/ledger/event-line.ts";
import { outputText } from "../../src/surface/cli/render/ledger/output-text.ts";
import { statusText } from "../../src/surface/cli/render/ledger/status-text.ts";
import { spanText, termText } from "../../src/surface/cli/render/quantities.ts";
import { createStyle } from "../../src/surface/cli/render/style.ts";
import { valueText } from "../../src/surface/cli/render/value-text.ts";

const plain = createStyle(false);
const AT = "2026-01-01T12:00:00.000Z";

const STATUS = {
  owner: null,
  scope: { root: "/project", profile: "default", instance: "i", createdAt: AT },
  at: AT,
  pause: {
    heldBy: "operator",
    process: null,
    reason: "the database moves",
    since: "2026-01-01T10:00:00.000Z",
  },
  tasks: { open: 1, running: 2, cancel_requested: 1, completed: 3, failed: 4, cancelled: 5 },
  workers: {
    live: 2,
    groups: [
      {
        generation: "ab".repeat(32),
        state: "bound" as const,
        count: 2,
        silent: 1,
        oldestSince: "2026-01-01T11:30:00.000Z",
      },
    ],
    silent: [],
  },
  alarms: { open: 0, newest: [] },
  inboxes: { waiting: 0, recipients: 0, fullest: [] },
  unresolved: { launches: 0, attempts: 0, uncertainMessages: 0, deadMessages: 0, oldest: [] },
  lastEvent: 7,
};

function alarm(number: number) {
  return {
    alarm: `al-${number}`,
    kind: "stale_progress" as const,
    subjectKind: "attempt" as const,
    subject: `t-${number}:1`,
    detail: "no progress\u001b[2J\nfor long",
    requester: null,
    message: null,
    raisedAt: "2026-01-01T11:59:00.000Z",
    lastSeenAt: AT,
    lastProgressAt: null,
    lastHealthAt: null,
    lastRenewalAt: null,
    resolvedAt: null,
    resolution: null,
  };
}

describe("status for people", () => {
  it("says what holds the project, who runs, and for how long", () => {
    expect(statusText(STATUS, plain)).toBe(
      [
        "project  /project, profile default",
        "owner    does not run; all below is of 2026-01-01 12:00:00 UTC, when the last one served",
        "paused   by operator for 2 h: the database moves",
        "tasks    1 open, 2 running, 1 to be cancelled; 3 completed, 4 failed, 5 cancelled",
        "workers  2, 1 of them silent",
        "alarms   none",
        "mail     none waits",
        "",
        "WORKERS  STATE  GENERATION    SILENT  OLDEST",
        "      2  bound  abababababab       1  30 min",
      ].join("\n"),
    );
  });

  it("fits a screen however much is wrong, says how much more there is, and cleans what it shows", () => {
    const alarms = { open: 1234, newest: Array.from({ length: 20 }, (_, at) => alarm(at)) };
    const text = statusText({ ...STATUS, alarms }, plain);
    expect(text.split("\n").length).toBeLessThanOrEqual(24);
    expect(text).toContain("… and 1226 more: swarm-gen alarm ls");
    expect(text).toContain("no progress\\x1b[2J\\nfor long");
    expect(text).not.toContain("\u001b");
  });
});

describe("an answer without a text of its own", () => {
  it("is its facts in words, and its lists as tables", () => {
    const value = {
      actor: "w-1",
      leaseUntil: "2026-01-31T12:00:05.123Z",
      brief: { objective: "Port it", limits: null },
      isMore: false,
      names: ["a", "b"],
      launches: [{ launch: "l-1", count: 2 }],
    };
    expect(valueText(value, plain)).toBe(
      [
        "actor            w-1",
        "lease until      2026-01-31 12:00:05",
        "brief objective  Port it",
        "brief limits     -",
        "is more          no",
        "names            a, b",
        "",
        "launches",
        "LAUNCH  COUNT",
        "l-1         2",
      ].join("\n"),
    );
    expect(outputText("no operation", { ok: true }, plain)).toBe("ok  yes");
  });

  it("never shows what a terminal would obey", () => {
    const hostile = "\u001b]0;x\u0007\u202e";
    const text = valueText({ a: hostile, b: [{ c: hostile }], d: { e: [hostile] } }, plain);
    expect([..."\u001b\u0007\u202e"].filter((character) => text.includes(character))).toEqual([]);
  });
});

describe("messages for people", () => {
  it("a hold says who holds and how it ends, and its end whether there was one", () => {
    const hold = { heldBy: "operator", process: null, reason: "lunch", since: "2026-11-30T12:00:00.000Z" };
    expect(outputText("pause", hold, plain)).toBe(
      "The project is held by operator: lunch. Nothing new begins until swarm-gen resume.",
    );
    expect(outputText("resume", { ended: hold }, plain)).toBe(
      "Work goes on; operator held the project since 2026-11-30 12:00:00 UTC: lunch.",
    );
    expect(outputText("resume", { ended: null }, plain)).toBe(
      "Nobody held the project; nothing was changed.",
    );
  });

  it("say why there is none to fetch, and when the next is due", () => {
    const nothing = { envelope: null, because: "session_busy" as const, dueAt: null };
    expect(outputText("inbox fetch", nothing, plain)).toBe("nothing to fetch: session busy");
    const later = { envelope: null, because: "not_due" as const, dueAt: AT };
    expect(outputText("inbox fetch", later, plain)).toBe(
      "nothing to fetch: not due; the next is due at 2026-01-01 12:00:00 UTC",
    );
  });

  it("keep a body's lines and clean the rest of it", () => {
    const envelope = {
      message: "m-1",
      kind: "note",
      sender: "operator",
      thread: null,
      body: "one\ntwo \u001b[31m",
      sentAt: AT,
      state: "leased",
      attempt: 1,
      leaseToken: "aa",
      leaseUntil: AT,
    };
    const text = outputText("inbox fetch", { envelope, because: null, dueAt: null }, plain);
    expect(text).toContain("\n\none\ntwo \\x1b[31m");
  });
});

describe("an event as a line", () => {
  it("has its number, time, kind, subject and facts, on one line", () => {
    const event = { seq: 7, at: AT, type: "task.added", entity: "t-1", payload: { by: "a\nb", leaseMs: 5 } };
    expect(eventLine(event)).toBe("     7  2026-01-01 12:00:00  task.added  t-1  by a\\nb, lease ms 5");
  });
});

describe("terms", () => {
  it.each([
    [0, "0ms"],
    [250, "250ms"],
    [1500, "1500ms"],
    [90_000, "90s"],
    [900_000, "15m"],
    [7_200_000, "2h"],
    [2_592_000_000, "30d"],
  ])("%d ms are typed as %s", (ms, text) => {
    expect(termText(ms)).toBe(text);
  });

  it.each([
    [400, "0 s"],
    [59_400, "59 s"],
    [60_000, "1 min"],
    [5_400_000, "2 h"],
    [172_800_000, "2 d"],
  ])("%d ms ago was %s ago", (ms, text) => {
    expect(spanText(ms)).toBe(text);
  });
});
