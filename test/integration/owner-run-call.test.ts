/** A call between its arrival and its turn: what holds when it is applied counts. */
import { expect, it } from "vitest";
import { createCoordinator } from "../../src/coordinator/create-coordinator.ts";
import { noFailpoints } from "../../src/kernel/failpoints.ts";
import { runCall } from "../../src/owner/api/run-call.ts";
import { createLedgerWorld } from "../fixtures/ledger-world.ts";
import { sha256 } from "../fixtures/owner-world.ts";

it("an enrollment that ends between a request's arrival and its turn writes nothing", async () => {
  const { db, clock, ids, operator, enroll, commandId } = createLedgerWorld();
  const lead = enroll("lead");
  const turns: (() => void)[] = [];
  const coordinator = createCoordinator({
    db,
    clock,
    ids,
    failpoints: noFailpoints,
    defer: (next) => turns.push(next),
  });
  const call = (operation: string, input: unknown, caller: typeof lead) =>
    runCall(
      { coordinator, clock },
      {
        operation,
        input,
        commandId: commandId(),
        proven: { caller, capabilityDigest: sha256(`capability of ${caller.actor}`) },
      },
    );
  const revoked = call("revoke", { actor: lead.actor }, operator);
  const late = call("task add", { title: "Late", brief: { objective: "x" } }, lead);
  for (const turn of turns) turn();
  expect((await revoked).ok).toBe(true);
  expect(await late).toMatchObject({ ok: false, error: { code: "enrollment_revoked" } });
  expect(coordinator.reading.all("SELECT id FROM task")).toEqual([]);
});
