/** Attempts: who holds a task, with which fence, for how long, and how it ends. */
import { describe, expect, test } from "vitest";
import { refusalOf } from "../fixtures/coded-error.ts";
import { createLedgerWorld } from "../fixtures/ledger-world.ts";

const brief = { objective: "Port the parser" };

describe("a claim", () => {
  test("is won by one of two; the other is told holder and fence", () => {
    const { call, enroll, operator } = createLedgerWorld();
    const [first, second] = [enroll("worker"), enroll("worker")];
    const { task } = call("task add", operator, { title: "Port", brief });
    expect(call("attempt claim", first, { task })).toMatchObject({ fence: 1, state: "running" });
    const refusal = refusalOf(() => call("attempt claim", second, { task }));
    expect(refusal).toMatchObject({ code: "task_held", fields: { holder: first.actor, fence: 1 } });
  });
});
