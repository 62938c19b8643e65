/** A call between its arrival and its turn: what holds when it is applied counts. */
import { expect, it } from "vitest";
import { createCoordinator } from "../../src/coordinator/create-coordinator.ts";
import { noFailpoints } from "../../src/kernel/failpoints.ts";
import { runCall } from "../../src/owner/api/run-call.ts";
import { createLedgerWorld } from "../fixtures/ledger-world.ts";
import { sha256 } from "../fixtures/owner-world.ts";

function createCalls() {
  const world = createLedgerWorld();
  const { db, clock, ids, commandId } = world;
  const turns: (() => void)[] = [];
  const coordinator = createCoordinator({
    db,
    clock,
    ids,
    failpoints: noFailpoints,
    defer: (next) => turns.push(next),
  });
  const call = (operation: string, input: unknown, caller: ReturnType<typeof world.enroll>) =>
    runCall(
      { coordinator, clock },
      {
        operation,
        input,
        commandId: commandId(),
        proven: { caller, capabilityDigest: sha256(`capability of ${caller.actor}`) },
      },
    );
  const takeTurns = () => {
    for (const turn of turns.splice(0)) turn();
  };
  return { ...world, coordinator, call, takeTurns };
}

it("an enrollment that ends between a request's arrival and its turn writes nothing", async () => {
  const { coordinator, call, takeTurns, enroll, operator } = createCalls();
  const lead = enroll("lead");
  const revoked = call("revoke", { actor: lead.actor }, operator);
  const late = call("task add", { title: "Late", brief: { objective: "x" } }, lead);
  takeTurns();
  expect((await revoked).ok).toBe(true);
  expect(await late).toMatchObject({ ok: false, error: { code: "enrollment_revoked" } });
  expect(coordinator.reading.all("SELECT id FROM task")).toEqual([]);
});

it("a heartbeat leaves no answer on record, and a claim does", async () => {
  const { coordinator, call, takeTurns, enroll } = createCalls();
  const lead = enroll("lead");
  const worker = enroll("worker");
  const settled = async (pending: ReturnType<typeof call>) => {
    takeTurns();
    return pending;
  };
  const added = await settled(call("task add", { title: "Beat", brief: { objective: "x" } }, lead));
  const { task } = (added as { output: { task: string } }).output;
  await settled(call("attempt claim", { task }, worker));
  const renewed = await settled(call("attempt renew", { task, fence: 1 }, worker));
  expect(renewed).toMatchObject({ ok: true, replayed: false, output: { fence: 1, leaseMs: 60_000 } });
  expect(coordinator.reading.all("SELECT operation FROM command ORDER BY operation")).toEqual([
    { operation: "attempt claim" },
    { operation: "task add" },
  ]);
});
