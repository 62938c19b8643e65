/** Messages and alarms by a unique beginning of their ids; a message whole, to whom it concerns. */
import { describe, expect, test } from "vitest";
import { raiseAlarm } from "../../src/coordinator/alarms/raise-alarm.ts";
import { sweep } from "../../src/coordinator/sweeps/sweep.ts";
import { CodedError } from "../../src/kernel/errors.ts";
import { codeOf } from "../fixtures/coded-error.ts";
import { fetchOne, mailScene, send } from "../fixtures/ledger-mail.ts";
import { createLedgerWorld } from "../fixtures/ledger-world.ts";

function candidatesOf(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error instanceof CodedError ? [error.code, error.fields.candidates] : error;
  }
}

describe("a message is named by a beginning of its id", () => {
  test("through its life: shown, renewed, rejected, processed, acknowledged, reconciled", () => {
    const { world, lead, worker } = mailScene();
    world.call("settings set", world.operator, { key: "inbox.attempts", value: 2 });
    const whole = send(world, lead, [worker]);
    const message = whole.slice(0, 8);
    const first = fetchOne(world, worker);
    const lease = { message, leaseToken: first.leaseToken };
    expect(world.call("inbox renew", worker, lease).message).toBe(whole);
    expect(world.call("inbox reject", worker, { ...lease, reason: "later" }).state).toBe("pending");
    world.clock.advance(2_000);
    fetchOne(world, worker);
    world.clock.advance(31_000);
    world.transact(sweep);
    const redeliver = { message, outcome: "redeliver", reason: "it was not seen" } as const;
    expect(world.call("inbox reconcile", lead, redeliver)).toMatchObject({
      message: whole,
      state: "pending",
    });
    const { leaseToken } = fetchOne(world, worker);
    expect(world.call("inbox processed", worker, { message, result: 7 }).message).toBe(whole);
    expect(world.call("inbox ack", worker, { message, leaseToken })).toEqual({
      message: whole,
      state: "acknowledged",
      result: 7,
    });
    expect(codeOf(() => world.call("inbox show", lead, { message: "m-0" }))).toBe("not_found");
  });

  test("that begins several is refused with those that the caller may know of", () => {
    const { world, lead, worker } = mailScene();
    const other = world.enroll("worker");
    const mine = [send(world, lead, [worker]), send(world, worker, [lead])];
    send(world, lead, [other]);
    const asked = () => world.call("inbox show", worker, { message: "m-" });
    expect(codeOf(asked)).toBe("invalid_input");
    world.statements.run("PRAGMA foreign_keys = OFF");
    for (const [index, id] of mine.entries()) {
      for (const [table, column] of [
        ["message", "id"],
        ["delivery", "message"],
      ]) {
        world.statements.run(`UPDATE ${table} SET ${column} = 'm-aa${index}' WHERE ${column} = '${id}'`);
      }
    }
    expect(candidatesOf(() => world.call("inbox show", worker, { message: "m-aa" }))).toEqual([
      "ambiguous_prefix",
      [
        expect.objectContaining({ id: "m-aa0", kind: "note" }),
        expect.objectContaining({ id: "m-aa1", kind: "note" }),
      ],
    ]);
  });
});

test("who sent a message sees that it is dead; another worker sees nothing of it", () => {
  const { world, worker: sender } = mailScene();
  const [first, second] = [world.enroll("worker"), world.enroll("worker")];
  world.call("settings set", world.operator, { key: "inbox.attempts", value: 1 });
  const message = send(world, sender, [first, second], "the whole of it\nwith a second line");
  fetchOne(world, first);
  world.clock.advance(31_000);
  world.transact(sweep);
  const shown = world.call("inbox show", sender, { message });
  expect(shown.body).toBe("the whole of it\nwith a second line");
  const states = Object.fromEntries(shown.deliveries.map(({ recipient, state }) => [recipient, state]));
  expect(states).toEqual({ [first.actor]: "dead", [second.actor]: "pending" });
  expect(world.call("inbox show", second, { message }).deliveries.map(({ recipient }) => recipient)).toEqual([
    second.actor,
  ]);
  const stranger = world.enroll("worker");
  expect(codeOf(() => world.call("inbox show", stranger, { message }))).toBe("not_found");
});

test("an alarm is named by a beginning of its id", () => {
  const world = createLedgerWorld();
  const { alarm } = world.transact((tx) =>
    raiseAlarm(tx, {
      subjectKind: "launch",
      subject: "l-1",
      kind: "host_lost",
      detail: "Gone.",
      requester: null,
    }),
  );
  expect(world.call("alarm show", world.operator, { alarm: alarm.slice(0, 7) }).alarm).toBe(alarm);
  expect(codeOf(() => world.call("alarm show", world.operator, { alarm: "al-0" }))).toBe("not_found");
});
