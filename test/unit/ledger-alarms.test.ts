/** Alarms: raised once while open, delivered and listed, ended by progress, recovery or an end alone. */
import { describe, expect, test } from "vitest";
import { raiseAlarm, resolveAlarms } from "../../src/coordinator/alarms/raise-alarm.ts";
import { sweep } from "../../src/coordinator/sweeps/sweep.ts";
import { codeOf } from "../fixtures/coded-error.ts";
import { createLedgerWorld, type LedgerWorld } from "../fixtures/ledger-world.ts";

const CAUSE = { subjectKind: "launch", subject: "l-1", kind: "supervision_lost" } as const;

function raise(world: LedgerWorld, more: { requester?: string | null; lastHealthAt?: number } = {}) {
  return world.transact((tx) =>
    raiseAlarm(tx, { ...CAUSE, detail: "The wrapper is silent.", requester: null, ...more }),
  );
}

function resolve(world: LedgerWorld, kinds: readonly ["supervision_lost"] | readonly ["host_lost"] | "all") {
  return world.transact((tx) =>
    resolveAlarms(tx, { subjectKind: "launch", subject: "l-1", kinds, resolution: "recovery" }),
  );
}

describe("an alarm", () => {
  test("is one while it is open, whatever raises it again; its times move alone", () => {
    const world = createLedgerWorld();
    const first = raise(world, { lastHealthAt: 1_000 });
    expect(first.isNew).toBe(true);
    world.clock.advance(5_000);
    expect(raise(world)).toEqual({ alarm: first.alarm, isNew: false });
    expect(world.call("alarm show", world.operator, { alarm: first.alarm })).toMatchObject({
      lastSeenAt: "2026-01-01T00:00:05.000Z",
      lastHealthAt: "1970-01-01T00:00:01.000Z",
    });
    world.clock.advance(5_000);
    expect(raise(world, { lastHealthAt: 2_000 })).toEqual({ alarm: first.alarm, isNew: false });
    expect(world.call("alarm ls", world.operator, {})).toEqual({
      open: 1,
      next: null,
      alarms: [
        {
          alarm: first.alarm,
          kind: "supervision_lost",
          subjectKind: "launch",
          subject: "l-1",
          detail: "The wrapper is silent.",
          requester: null,
          message: null,
          raisedAt: "2026-01-01T00:00:00.000Z",
          lastSeenAt: "2026-01-01T00:00:10.000Z",
          lastProgressAt: null,
          lastHealthAt: "1970-01-01T00:00:02.000Z",
          lastRenewalAt: null,
          resolvedAt: null,
          resolution: null,
        },
      ],
    });
    expect(world.events().filter(({ type }) => type === "alarm.raised")).toHaveLength(1);
  });

  test("that was resolved is raised anew by the next cause, as another", () => {
    const world = createLedgerWorld();
    const first = raise(world);
    expect(resolve(world, ["host_lost"])).toBe(0);
    expect(resolve(world, ["supervision_lost"])).toBe(1);
    expect(resolve(world, "all")).toBe(0);
    world.clock.advance(1_000);
    const second = raise(world);
    expect(second).toMatchObject({ isNew: true });
    const { alarms, open } = world.call("alarm ls", world.operator, { all: true });
    expect(open).toBe(1);
    expect(alarms.map(({ alarm, resolution }) => [alarm, resolution])).toEqual([
      [second.alarm, null],
      [first.alarm, "recovery"],
    ]);
    expect(world.call("alarm show", world.operator, { alarm: first.alarm })).toEqual(alarms[1]);
  });

  test("of another kind or subject is another, and lists can ask for one of them", () => {
    const world = createLedgerWorld();
    raise(world);
    world.transact((tx) => {
      raiseAlarm(tx, { ...CAUSE, kind: "host_lost", detail: "tmux is gone.", requester: null });
      raiseAlarm(tx, { ...CAUSE, subject: "l-2", detail: "The wrapper is silent.", requester: null });
    });
    const subjects = (input: { kind?: "host_lost"; subject?: string }) =>
      world.call("alarm ls", world.operator, input).alarms.map(({ kind, subject }) => `${kind} ${subject}`);
    expect(subjects({}).toSorted()).toEqual([
      "host_lost l-1",
      "supervision_lost l-1",
      "supervision_lost l-2",
    ]);
    expect(subjects({ kind: "host_lost" })).toEqual(["host_lost l-1"]);
    expect(subjects({ subject: "l-2" })).toEqual(["supervision_lost l-2"]);
    expect(resolve(world, "all")).toBe(2);
    expect(subjects({})).toEqual(["supervision_lost l-2"]);
  });

  test("is on one page of the list, however short the pages are: the open ones first, the newest first", () => {
    const world = createLedgerWorld();
    const raised = ["l-1", "l-2", "l-3", "l-4", "l-5"].map((subject) => {
      world.clock.advance(subject === "l-3" ? 0 : 1_000);
      const cause = { ...CAUSE, subject, detail: "The wrapper is silent.", requester: null };
      return world.transact((tx) => raiseAlarm(tx, cause)).alarm;
    });
    for (const subject of ["l-2", "l-4"]) {
      const ended = { subjectKind: "launch", subject, kinds: "all", resolution: "end" } as const;
      world.transact((tx) => resolveAlarms(tx, ended));
    }
    const seen: string[] = [];
    let after: string | undefined;
    for (let pages = 0; pages < 3; pages += 1) {
      const { alarms, next } = world.call("alarm ls", world.operator, { all: true, limit: 2, after });
      seen.push(...alarms.map(({ alarm }) => alarm));
      after = next ?? undefined;
    }
    const [first, second, third, fourth, fifth] = raised;
    expect(seen).toEqual([fifth, third, first, fourth, second]);
    expect(after).toBeUndefined();
    expect(world.call("alarm ls", world.operator, { limit: 3 }).next).toBeNull();
    expect(codeOf(() => world.call("alarm ls", world.operator, { after: "1.al-1" }))).toBe("invalid_input");
  });

  test("that does not exist is not shown", () => {
    const world = createLedgerWorld();
    expect(codeOf(() => world.call("alarm show", world.operator, { alarm: "al-000000000000" }))).toBe(
      "not_found",
    );
  });
});

describe("the requester of work that alarms", () => {
  test("has one message of it, from the owner, and acknowledging that ends no alarm", () => {
    const world = createLedgerWorld();
    const lead = world.enroll("lead");
    const { alarm } = raise(world, { requester: lead.actor });
    raise(world, { requester: lead.actor });
    const { envelope } = world.call("inbox fetch", lead, {});
    expect(envelope).toMatchObject({
      kind: "alarm",
      sender: "owner",
      thread: alarm,
      body: "supervision_lost: The wrapper is silent. (launch l-1)",
    });
    const { message, leaseToken } = envelope ?? { message: "", leaseToken: "" };
    world.call("inbox ack", lead, { message, leaseToken });
    expect(world.call("inbox fetch", lead, {}).because).toBe("empty");
    expect(world.call("alarm show", lead, { alarm })).toMatchObject({ resolvedAt: null, message });
  });

  test("gets it though ordinary mail fills the inbox, and a flood of alarms has a bound of its own", () => {
    const world = createLedgerWorld();
    const lead = world.enroll("lead");
    world.call("settings set", world.operator, { key: "inbox.capacity", value: 2 });
    for (const body of ["one", "two"]) world.call("inbox send", world.operator, { to: [lead.actor], body });
    const delivered = ["a", "b", "c"].map((subject) =>
      world.transact((tx) => {
        const { alarm } = raiseAlarm(tx, { ...CAUSE, subject, detail: "Silent.", requester: lead.actor });
        return tx.get<{ message: string | null }>("SELECT message FROM alarm WHERE id = @alarm", { alarm });
      }),
    );
    expect(delivered.map((row) => row?.message !== null)).toEqual([true, true, false]);
    expect(world.call("alarm ls", lead, {}).open).toBe(3);
  });

  test("whose capability was revoked, or who never was, does not keep it from being raised", () => {
    const world = createLedgerWorld();
    const lead = world.enroll("lead");
    world.call("revoke", world.operator, { actor: lead.actor });
    expect(raise(world, { requester: lead.actor }).isNew).toBe(true);
    resolve(world, "all");
    const { alarm } = raise(world, { requester: "l-000000000000" });
    expect(world.call("alarm show", world.operator, { alarm })).toMatchObject({
      requester: null,
      message: null,
    });
  });
});

describe("a worker that loops", () => {
  test("raises the progress alarm however it renews and reads its mail, and only progress ends it (H2)", () => {
    const world = createLedgerWorld();
    const [lead, worker] = [world.enroll("lead"), world.enroll("worker")];
    const { task } = world.call("task add", lead, { title: "Loop", brief: { objective: "Loop" } });
    const { fence } = world.call("attempt claim", worker, { task });
    world.call("inbox send", lead, { to: [worker.actor], body: "how is it going?" });
    const { leaseToken = "", message = "" } = world.call("inbox fetch", worker, {}).envelope ?? {};
    for (let second = 0; second < 15 * 60; second += 15) {
      expect(world.call("alarm ls", lead, {}).open).toBe(0);
      world.clock.advance(15_000);
      world.call("attempt renew", worker, { task, fence });
      world.call("inbox renew", worker, { message, leaseToken });
      world.transact(sweep);
    }
    const { alarms } = world.call("alarm ls", lead, {});
    expect(alarms).toMatchObject([
      {
        kind: "stale_progress",
        subject: `${task}:${fence}`,
        requester: lead.actor,
        lastProgressAt: "2026-01-01T00:00:00.000Z",
        lastRenewalAt: "2026-01-01T00:15:00.000Z",
      },
    ]);
    expect(world.call("status", lead, {}).alarms).toEqual({ open: 1, newest: alarms });
    expect(world.call("inbox fetch", lead, {}).envelope).toMatchObject({ kind: "alarm" });
    world.call("attempt renew", worker, { task, fence });
    world.transact(sweep);
    expect(world.call("alarm ls", lead, {}).open).toBe(1);
    world.call("attempt progress", worker, { task, fence, note: "half of it", nativeSession: "session-1" });
    expect(world.call("alarm ls", lead, { all: true })).toMatchObject({
      open: 0,
      alarms: [{ resolution: "progress" }],
    });
  });

  test("is told to a lead who sleeps through the night: in its inbox and on its list in the morning (M5)", () => {
    const world = createLedgerWorld();
    const [lead, worker] = [world.enroll("lead"), world.enroll("worker")];
    const { task } = world.call("task add", lead, { title: "Stall", brief: { objective: "Stall" } });
    const { fence } = world.call("attempt claim", worker, { task });
    for (let minute = 0; minute < 8 * 60; minute += 1) {
      world.clock.advance(30_000);
      world.call("attempt renew", worker, { task, fence });
      world.clock.advance(30_000);
      world.call("attempt renew", worker, { task, fence });
      world.transact(sweep);
    }
    expect(world.call("alarm ls", lead, {}).alarms).toMatchObject([
      { kind: "stale_progress", raisedAt: "2026-01-01T00:15:00.000Z" },
    ]);
    const { deliveries } = world.call("inbox ls", lead, { recipient: lead.actor });
    expect(deliveries).toMatchObject([{ kind: "alarm", state: "pending", attempt: 0 }]);
  });
});
