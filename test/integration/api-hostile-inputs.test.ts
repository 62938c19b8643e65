/** Inputs that are nearly right, of every operation and by every authority: done, or refused and nothing is written. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { z } from "zod";
import { CATALOGUE, type ErrorCode } from "../../src/kernel/errors.ts";
import { OPERATION_CODE } from "../../src/operations/ledger/operation-code.ts";
import { LEDGER_OPERATIONS, type OperationName } from "../../src/operations/ledger/operation-table.ts";
import { createRandom, type JsonSchema, pick, spoilt, valid } from "../fixtures/nearly-valid.ts";
import { dumpLedger } from "../fixtures/owner-dump.ts";
import { createOwnerWorld, type OwnerWorld } from "../fixtures/owner-world.ts";

const BATCHES = 210;
const CALLS = 50;
const SEED = 20_260_101;

const OPERATIONS = Object.keys(LEDGER_OPERATIONS) as OperationName[];
const SCHEMAS = new Map(
  OPERATIONS.map((name) => [
    name,
    z.toJSONSchema(OPERATION_CODE[name].input, { io: "input", unrepresentable: "any" }) as JsonSchema,
  ]),
);

interface Answered {
  readonly ok: boolean;
  readonly code?: string;
  readonly status?: number;
}

/** Ids of things that exist, and texts that fit where none does. */
async function wordsOf({ client }: OwnerWorld, worker: string): Promise<string[]> {
  const operator = client();
  const add = (title: string) =>
    operator.call<{ task: string }>("task add", { title, brief: { objective: "x" } });
  const [held, open] = [await add("Held"), await add("Open")];
  await client(worker).call("attempt claim", { task: held.task });
  const { actors } = await operator.call<{ actors: { actor: string }[] }>("actor ls", { kind: "worker" });
  const ids = actors.map(({ actor }) => actor);
  const { message } = await operator.call<{ message: string }>("inbox send", { to: ids, body: "x" });
  const { envelope } = await client(worker).call<{ envelope: { leaseToken: string } }>("inbox fetch", {});
  const digest = "ab".repeat(32);
  return [held.task, open.task, ...ids, message, envelope.leaseToken, digest, "i-0001", "l-0001", "/x", "x"];
}

it("ten thousand inputs get a typed answer; those that are refused, and refused again, change no row", async () => {
  const world = createOwnerWorld();
  // No sweep comes in between: what expires meanwhile is none of the callers'.
  await world.start({ timers: { monotonicNow: () => 0, after: () => () => {} } });
  const { http, commandId, layout } = world;
  const worker = await world.enroll("worker");
  const lead = await world.enroll("lead");
  const senders = [world.operatorKey(), lead, worker, readFileSync(layout.launcherKey, "utf8").trim()];
  const words = await wordsOf(world, worker);
  const random = createRandom(SEED);
  const send = async (capability: string, calls: readonly object[]): Promise<readonly Answered[]> => {
    const named = calls.map((call) => ({ ...call, commandId: commandId() }));
    const { status, body } = await http({ path: "/v1/batch", body: { calls: named }, capability });
    expect(status, JSON.stringify(body).slice(0, 300)).toBe(200);
    return body.answers;
  };
  const faults: string[] = [];
  const codes = new Map<string, number>();
  const note = (call: object, { ok, code = "done", status }: Answered) => {
    codes.set(code, (codes.get(code) ?? 0) + 1);
    const row = ok ? null : CATALOGUE[code as ErrorCode];
    const isTyped = row === null || (row?.http === status && row.http < 500 && row.http >= 400);
    if (!isTyped) faults.push(`${code} ${status} for ${JSON.stringify(call)}`);
  };
  for (let number = 0; number < BATCHES; number += 1) {
    const sender = pick(random, senders);
    // One that ends its sender's own enrollment would end the test.
    const names = OPERATIONS.filter((name) => name !== "revoke" || sender !== senders[0]);
    const calls = Array.from({ length: CALLS }, () => {
      const operation = pick(random, names);
      const input = valid(random, SCHEMAS.get(operation) ?? {}, words);
      return { operation, input: random() < 0.2 ? input : spoilt(random, input) };
    });
    const answers = await send(sender, calls);
    for (const [index, answer] of answers.entries()) note(calls[index] as object, answer);
    const refused = calls.filter((_, index) => answers[index]?.ok === false);
    const before = dumpLedger(layout.ledger);
    const again = await send(sender, refused);
    // What was refused for the state of that moment may be done now; then the rows say nothing.
    if (again.every(({ ok }) => !ok)) expect(dumpLedger(layout.ledger)).toEqual(before);
  }
  expect(faults).toEqual([]);
  expect(codes.get("invalid_input")).toBeGreaterThan(3_000);
  for (const code of ["done", "forbidden", "not_found", "wrong_state"]) {
    expect(codes.get(code), `${code} of ${JSON.stringify([...codes])}`).toBeGreaterThan(20);
  }
  expect(readFileSync(layout.log, "utf8")).not.toContain('"what":"bug"');
});

it("another actor's command id gets nobody's answer but its own", async () => {
  const world = createOwnerWorld();
  await world.start();
  const [first, second] = [await world.enroll("lead"), await world.enroll("lead")];
  const headers = { "swarm-gen-command": world.commandId() };
  const body = { title: "Mine", brief: { objective: "x" } };
  const mine = await world.http({ path: "/v1/task.add", body, headers, capability: first });
  const theirs = await world.http({ path: "/v1/task.add", body, headers, capability: second });
  const again = await world.http({ path: "/v1/task.add", body, headers, capability: first });
  expect([mine.status, theirs.status, again.status]).toEqual([200, 200, 200]);
  expect(theirs.body.task).not.toBe(mine.body.task);
  expect(theirs.headers["swarm-gen-replayed"]).toBeUndefined();
  expect(again.body).toEqual(mine.body);
});

it.each(["-1", "1.5", "abc", "1,2", "1e9", "0x10", "1000000000000000", "", " ", "9".repeat(400), "١"])(
  "the feed does not begin after %j",
  async (cursor) => {
    const world = createOwnerWorld();
    await world.start();
    const path = `/v1/events?after=${encodeURIComponent(cursor)}`;
    expect(await world.http({ method: "GET", path })).toMatchObject({
      status: 400,
      body: { code: "invalid_input" },
    });
  },
);

it("a reader of the feed whose enrollment ends is told so and shown nothing that comes after", async () => {
  const world = createOwnerWorld();
  await world.start();
  const secret = await world.enroll("lead");
  const operator = world.client();
  const seen: string[] = [];
  let isFollowing: () => void = () => {};
  const begun = new Promise<void>((resolve) => {
    isFollowing = resolve;
  });
  const following = world.client(secret).events({
    after: 0,
    onEvent({ type }) {
      seen.push(type);
      isFollowing();
    },
    signal: new AbortController().signal,
  });
  const ended = expect(following).rejects.toMatchObject({ code: "enrollment_revoked" });
  await begun;
  const { actors } = await operator.call<{ actors: { actor: string }[] }>("actor ls", { kind: "lead" });
  await operator.call("revoke", { actor: actors[0]?.actor });
  await operator.call("task add", { title: "Unseen", brief: { objective: "x" } });
  await ended;
  expect(seen).toContain("scope.fresh_term");
  expect(seen).not.toContain("task.added");
});
