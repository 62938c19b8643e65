/** Settings tell a default from a choice; a hold of the scope names its holder. */
import { describe, expect, test } from "vitest";
import { codeOf, refusalOf } from "../fixtures/coded-error.ts";
import { createLedgerWorld } from "../fixtures/ledger-world.ts";

describe("a setting", () => {
  test("shows its default until somebody chooses, then who chose and when, though the value is the same", () => {
    const world = createLedgerWorld();
    const key = "task.lease";
    const byDefault = {
      key,
      value: 60_000,
      default: 60_000,
      unit: "ms",
      least: 1_000,
      most: 86_400_000,
      brief: "how long a claim holds a task without a renewal",
      origin: "default",
      setBy: null,
      setAt: null,
    };
    expect(world.call("settings get", world.operator, { key })).toEqual(byDefault);
    world.clock.advance(1_000);
    const chosen = {
      ...byDefault,
      origin: "explicit",
      setBy: "operator",
      setAt: "2026-01-01T00:00:01.000Z",
    };
    expect(world.call("settings set", world.operator, { key, value: 60_000 })).toEqual(chosen);
    expect(world.call("settings get", world.operator, { key })).toEqual(chosen);
    expect(world.call("settings set", world.operator, { key, toDefault: true })).toEqual(byDefault);
  });

  test("takes a time in any unit, and holds from the next command on", () => {
    const world = createLedgerWorld();
    const set = (value: string | number) =>
      world.call("settings set", world.operator, { key: "task.lease", value }).value;
    expect([set("90s"), set("2m"), set("1h"), set("1500ms"), set(2_000), set("3000")]).toEqual([
      90_000, 120_000, 3_600_000, 1_500, 2_000, 3_000,
    ]);
    const { task } = world.call("task add", world.operator, { title: "T", brief: { objective: "T" } });
    const { leaseUntil } = world.call("attempt claim", world.enroll("worker"), { task });
    expect(leaseUntil).toBe("2026-01-01T00:00:03.000Z");
  });

  test("outside its bounds, in a wrong unit or without a choice is refused and changes nothing", () => {
    const world = createLedgerWorld();
    const set = (key: "task.lease" | "inbox.attempts", value?: string | number, toDefault = false) =>
      codeOf(() => world.call("settings set", world.operator, { key, value, toDefault }));
    for (const value of [999, 86_400_001, "0s", "2d", "-1", "1.5s", "1 h", "", "soon"]) {
      expect([value, set("task.lease", value)]).toEqual([value, "invalid_input"]);
    }
    for (const value of [0, 101, "5s"]) expect(set("inbox.attempts", value)).toBe("invalid_input");
    expect(set("task.lease")).toBe("invalid_input");
    expect(set("task.lease", 2_000, true)).toBe("invalid_input");
    expect(codeOf(() => world.call("settings get", world.operator, { key: "colour" as "task.lease" }))).toBe(
      "invalid_input",
    );
    const { settings } = world.call("settings ls", world.operator, {});
    expect(settings.every(({ origin }) => origin === "default")).toBe(true);
    expect(settings.length).toBeGreaterThan(10);
  });

  test("is chosen by an operator alone", () => {
    const world = createLedgerWorld();
    const input = { key: "task.lease", value: 2_000 } as const;
    expect(codeOf(() => world.call("settings set", world.enroll("lead"), input))).toBe("forbidden");
  });
});

describe("a hold of the scope", () => {
  test("keeps new work from beginning, names holder and reason, and lets mail through", () => {
    const world = createLedgerWorld();
    const worker = world.enroll("worker");
    const { task } = world.call("task add", world.operator, { title: "T", brief: { objective: "T" } });
    const held = world.call("pause", world.operator, { reason: "the database moves" });
    expect(held).toEqual({
      heldBy: "operator",
      process: null,
      reason: "the database moves",
      since: "2026-01-01T00:00:00.000Z",
    });
    expect(refusalOf(() => world.call("attempt claim", worker, { task }))).toMatchObject({
      code: "scope_paused",
      fields: { heldBy: "operator", reason: "the database moves" },
    });
    world.call("inbox send", world.operator, { to: [worker.actor], body: "wait" });
    expect(world.call("inbox fetch", worker, {}).envelope?.body).toBe("wait");
    expect(world.call("status", worker, {}).pause).toEqual(held);
    expect(world.call("resume", world.operator, {})).toEqual({ ended: held });
    expect(world.call("resume", world.operator, {})).toEqual({ ended: null });
    expect(world.call("attempt claim", worker, { task }).fence).toBe(1);
  });

  test("gets another reason from its holder and keeps its beginning", () => {
    const world = createLedgerWorld();
    world.call("pause", world.operator, { reason: "lunch" });
    world.clock.advance(1_000);
    const process = { pid: 7, startTime: "100", boot: "b" };
    expect(world.call("pause", world.operator, { reason: "dinner", process })).toEqual({
      heldBy: "operator",
      process,
      reason: "dinner",
      since: "2026-01-01T00:00:00.000Z",
    });
    expect(codeOf(() => world.call("pause", { ...world.operator, actor: "owner" }, { reason: "mine" }))).toBe(
      "scope_paused",
    );
  });
});
