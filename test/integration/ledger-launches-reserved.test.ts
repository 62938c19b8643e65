/** Intents that never change, and launches before anything is asked of a host. */
import { describe, expect, test } from "vitest";
import { codeOf, refusalOf } from "../fixtures/coded-error.ts";
import { addTask, digestOf, provisioned, reservation, reserved } from "../fixtures/ledger-launch.ts";
import { createLedgerWorld, type LedgerWorld } from "../fixtures/ledger-world.ts";

const taskState = (world: LedgerWorld, task: string) =>
  world.call("task show", world.operator, { task }).state;

describe("an intent", () => {
  const asked = (task: string) => ({
    intent: "i-0001",
    task,
    requestedBy: "operator",
    requested: { harness: "claude", effort: "high" },
    resolved: { harness: "claude", effort: "high", mode: "interactive" },
    origins: { mode: "default" },
  });

  test("made again with the same request is the same, whatever a default has become (LEDGER-5)", () => {
    const world = createLedgerWorld();
    const task = addTask(world);
    const first = world.call("intent create", world.launcher, asked(task));
    const again = {
      ...asked(task),
      requested: { effort: "high", harness: "claude" },
      resolved: { mode: "stream" },
    };
    expect(world.call("intent create", world.launcher, again)).toEqual(first);
  });

  test("made again with another request is a conflict that names what differs", () => {
    const world = createLedgerWorld();
    const task = addTask(world);
    world.call("intent create", world.launcher, asked(task));
    const create = (input: ReturnType<typeof asked>) => () =>
      world.call("intent create", world.launcher, input);
    expect(refusalOf(create(asked(addTask(world))))).toMatchObject({ fields: { differing: ["task"] } });
    const other = { ...asked(addTask(world)), requested: { harness: "claude", model: "m" } };
    expect(refusalOf(() => world.call("intent create", world.launcher, other))).toMatchObject({
      code: "idempotency_conflict",
      fields: { differing: ["effort", "model", "task"], changed: false },
    });
  });

  test("of a task or for a requester that does not exist is refused", () => {
    const world = createLedgerWorld();
    const create = (more: object) => () =>
      world.call("intent create", world.launcher, { ...asked(addTask(world)), ...more });
    expect(codeOf(create({ task: "t-000000000000" }))).toBe("not_found");
    expect(codeOf(create({ requestedBy: "l-nobody" }))).toBe("not_found");
  });

  test("is listed newest first, a page at a time, also of one task and among those of one instant", () => {
    const world = createLedgerWorld();
    const task = addTask(world);
    const create = (intent: string, of: string) =>
      world.call("intent create", world.launcher, { ...asked(of), intent });
    create("i-0001", task);
    create("i-0002", addTask(world));
    create("i-0003", task);
    world.clock.advance(1_000);
    const newest = create("i-0004", task);
    const lead = world.enroll("lead");
    const idsOf = (input: { task?: string; limit?: number; after?: string }) => {
      const { intents, next } = world.call("intent ls", lead, input);
      return { ids: intents.map(({ intent }) => intent), next };
    };
    expect(world.call("intent ls", lead, { limit: 1 }).intents).toEqual([newest]);
    const first = idsOf({ limit: 2 });
    expect(first.ids).toEqual(["i-0004", "i-0003"]);
    expect(idsOf({ limit: 2, after: first.next ?? "" })).toEqual({ ids: ["i-0002", "i-0001"], next: null });
    expect(idsOf({ task: task.slice(0, 8) })).toEqual({ ids: ["i-0004", "i-0003", "i-0001"], next: null });
    expect(codeOf(() => idsOf({ after: "1.l-0001" }))).toBe("invalid_input");
    expect(codeOf(() => world.call("intent ls", world.enroll("worker"), {}))).toBe("forbidden");
  });

  test("does not change, whoever writes", () => {
    const world = createLedgerWorld();
    reserved(world);
    expect(() => world.statements.run("UPDATE intent SET requested = '{}'")).toThrow("LEDGER-5");
  });
});

describe("a reservation", () => {
  test("repeated is the same launch; with another generation it is a conflict", () => {
    const world = createLedgerWorld();
    const { launch, intent } = reserved(world);
    const input = reservation(launch, intent);
    world.clock.advance(1000);
    expect(world.call("launch reserve", world.launcher, input)).toMatchObject({ launch, state: "reserved" });
    const other = { ...input, generation: "gen-2" };
    expect(codeOf(() => world.call("launch reserve", world.launcher, other))).toBe("idempotency_conflict");
    expect(world.call("launch show", world.operator, { launch }).history).toHaveLength(1);
  });

  test("is refused while another launch of the task is not over, and while a script holds the task", () => {
    const world = createLedgerWorld();
    const { launch, intent, task } = reserved(world);
    const second = () => world.call("launch reserve", world.launcher, reservation("l-0002", intent));
    expect(refusalOf(second)).toMatchObject({ code: "task_held", fields: { launch } });
    world.call("launch advance", world.launcher, { launch, from: "reserved", to: "failed" });
    world.call("attempt claim", world.enroll("worker"), { task });
    expect(refusalOf(second)).toMatchObject({ code: "task_held", fields: { fence: 1 } });
    world.clock.advance(60_000);
    expect(second().launch).toBe("l-0002");
    expect(taskState(world, task)).toBe("open");
  });

  test("is refused of a task that is over", () => {
    const world = createLedgerWorld();
    const task = addTask(world);
    world.call("task cancel", world.operator, { task });
    expect(refusalOf(() => reserved(world, task))).toMatchObject({
      code: "wrong_state",
      fields: { state: "cancelled" },
    });
  });
});

describe("provisioning", () => {
  test("enrolls a worker of its own; repeated with its digest it is the same worker", () => {
    const world = createLedgerWorld();
    const { launch, worker } = provisioned(world);
    const capabilityDigest = digestOf(`capability of ${launch}`);
    const again = world.call("launch provision", world.launcher, { launch, label: "Port", capabilityDigest });
    expect(again).toMatchObject({ state: "provisioned", actor: worker.actor, revision: 1 });
    const other = { launch, label: "Port", capabilityDigest: digestOf("another") };
    expect(codeOf(() => world.call("launch provision", world.launcher, other))).toBe("idempotency_conflict");
  });
});
