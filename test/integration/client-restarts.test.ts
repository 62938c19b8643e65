/** A client across an owner's restarts: it waits, bounded; nothing is lost and nothing comes twice. */
import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { refusalOfAsync } from "../fixtures/coded-error.ts";
import { createOwnerWorld } from "../fixtures/owner-world.ts";

const TASK = { title: "Once", brief: { objective: "x" } };

interface Page {
  readonly tasks: readonly { readonly title: string }[];
}

it("a command that is sent while the owner restarts is answered by the next one", async () => {
  const world = createOwnerWorld();
  const first = await world.start();
  const client = world.client();
  await client.call("task ls", {});
  const stopped = first.stop("restart");
  const during = client.call<{ title: string }>("task add", TASK);
  await stopped;
  const after = client.call<{ title: string }>("task add", TASK);
  await world.start();
  expect((await during).title).toBe("Once");
  expect((await after).title).toBe("Once");
  expect((await client.call<Page>("task ls", {})).tasks).toHaveLength(2);
});

it("a reply that is lost is got again under the same id, and the change is there once", async () => {
  const world = createOwnerWorld();
  const owner = await world.start();
  // A relay that drops the first connection once the owner's answer is on its way.
  let connections = 0;
  const path = join(world.folder, "relay.sock");
  const { connect } = await import("node:net");
  const relay = createServer((socket) => {
    connections += 1;
    const isFirst = connections === 1;
    const upstream = connect(owner.socket);
    socket.pipe(upstream);
    upstream.on("data", (piece) => (isFirst ? socket.destroy() : socket.write(piece)));
    upstream.on("error", () => socket.destroy());
    socket.on("error", () => upstream.destroy());
    socket.on("close", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => relay.listen(path, resolve));
  onTestFinished(() => {
    relay.close();
    rmSync(path, { force: true });
  });
  const client = world.client(undefined, { locate: () => path });
  expect(await client.call("task add", TASK)).toMatchObject({ title: "Once" });
  expect(connections).toBe(2);
  expect((await client.call<Page>("task ls", {})).tasks).toHaveLength(1);
  client.close();
});

it("with no owner in reach, one that never had one is told at once, one that had one within its patience", async () => {
  const world = createOwnerWorld();
  const owner = await world.start();
  const had = world.client(undefined, { patienceMs: 300 });
  const never = world.client(undefined, { patienceMs: 3_600_000 });
  await had.call("task ls", {});
  await owner.stop("for good");
  const refusal = await refusalOfAsync(() => never.call("task add", TASK));
  expect(refusal?.toJSON()).toMatchObject({ code: "owner_unavailable", owner: "gone", retryable: true });
  expect(refusal?.fields.commandId).toMatch(/^[0-9a-f-]{36}$/);
  expect((await refusalOfAsync(() => had.call("task add", TASK)))?.code).toBe("owner_unavailable");
});

it("an owner that takes the request and says nothing is left after a while, named as silent", async () => {
  const world = createOwnerWorld();
  const path = join(world.folder, "silent.sock");
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(path, resolve));
  onTestFinished(() => void silent.close());
  const client = world.client("sgk_x", { locate: () => path, answerWithinMs: 100 });
  const refusal = await refusalOfAsync(() => client.call("task add", TASK));
  expect(refusal?.toJSON()).toMatchObject({ code: "owner_unavailable", owner: "silent" });
});

it("many calls at once share a connection, each with its own answer, within the actor's bound", async () => {
  const world = createOwnerWorld();
  await world.start();
  const client = world.client();
  const titles = Array.from({ length: 300 }, (_, index) => `task ${index}`);
  const added = await Promise.all(
    titles.map((title) => client.call<{ title: string }>("task add", { ...TASK, title })),
  );
  expect(added.map(({ title }) => title)).toEqual(titles);
});

it("an input that no owner would take is refused before it is sent", async () => {
  const world = createOwnerWorld();
  const client = world.client("sgk_x", { locate: () => expect.unreachable() });
  const refusal = await refusalOfAsync(() => client.call("task add", { title: "x".repeat(1024 * 1024) }));
  expect(refusal?.code).toBe("invalid_input");
});

it("a call whose signal is aborted ends with that reason, and so does what waits when it is closed", async () => {
  const world = createOwnerWorld();
  const client = world.client("sgk_x", { locate: () => null, waitsForOwner: true, patienceMs: 3_600_000 });
  const over = new AbortController();
  const waiting = client.call("task ls", {}, { signal: over.signal });
  over.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  const left = client.call("task ls", {});
  client.close();
  expect((await refusalOfAsync(() => left))?.toJSON()).toMatchObject({
    code: "owner_unavailable",
    owner: "left",
  });
});

it("a call that is repeated under its own id, by another client, gets the first answer", async () => {
  const world = createOwnerWorld();
  await world.start();
  const commandId = world.commandId();
  const first = await world.client().call("task add", TASK, { commandId });
  expect(await world.client().call("task add", TASK, { commandId })).toEqual(first);
});

/** A socket that takes everything and answers nothing; `requests` counts what arrived. */
async function silentOwner(folder: string) {
  const path = join(folder, "silent.sock");
  const heard = { requests: 0 };
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (text) => {
      heard.requests += text.toString().split("HTTP/1.1").length - 1;
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => void server.close());
  return { path, heard, server };
}

it("an aborted call ends at once, whether it is out or still waits for its turn", async () => {
  const world = createOwnerWorld();
  const { path } = await silentOwner(world.folder);
  const client = world.client("sgk_x", { locate: () => path });
  const over = new AbortController();
  const calls = Array.from({ length: 12 }, () => client.call("task ls", {}, { signal: over.signal }));
  const ended = Promise.allSettled(calls);
  await new Promise((resolve) => setImmediate(resolve));
  over.abort(new Error("enough"));
  const reasons = (await ended).map((each) =>
    each.status === "rejected" ? each.reason.message : "answered",
  );
  expect(new Set(reasons)).toEqual(new Set(["enough"]));
});

it("patience begins with the first failure, and a clock that is set neither ends nor lengthens it", async () => {
  const world = createOwnerWorld();
  const owner = await world.start();
  let set = 0;
  let passed = 0;
  const client = world.client(undefined, {
    patienceMs: 1000,
    clock: { now: () => Date.now() + set },
    timers: {
      ...world.ports.timers,
      monotonicNow: () => passed,
      after: (ms, callback) => {
        // The pauses between attempts pass at once; the wall clock is set forward by an hour with each.
        if (ms > 500) return () => {};
        passed += ms;
        set += 3_600_000;
        const turn = setImmediate(callback);
        return () => clearImmediate(turn);
      },
    },
  });
  await client.call("task ls", {});
  passed += 3_600_000;
  await owner.stop("for good");
  expect((await refusalOfAsync(() => client.call("task ls", {})))?.code).toBe("owner_unavailable");
  expect(passed - 3_600_000).toBeGreaterThanOrEqual(1000);
  expect(passed - 3_600_000).toBeLessThan(2000);
});

it("what a listener of the feed throws ends the following with just that", async () => {
  const world = createOwnerWorld();
  await world.start();
  const heard: number[] = [];
  const onEvent = ({ seq }: { seq: number }) => {
    heard.push(seq);
    throw new Error("the listener's own fault");
  };
  const signal = AbortSignal.timeout(5000);
  await expect(world.client().events({ after: 0, onEvent, signal })).rejects.toThrow("own fault");
  expect(heard).toHaveLength(1);
});

it("a feed that falls silent, as of an owner that was stopped, ends as unavailable", async () => {
  const world = createOwnerWorld();
  const { path } = await silentOwner(world.folder);
  let passed = 0;
  const timers = {
    monotonicNow: () => passed,
    after(ms: number, callback: () => void) {
      passed += ms;
      const turn = setImmediate(callback);
      return () => clearImmediate(turn);
    },
  };
  const following = world
    .client("sgk_x", { locate: () => path, timers })
    .events({ after: 0, onEvent: () => {}, signal: AbortSignal.timeout(5000) });
  await expect(following).rejects.toMatchObject({ code: "owner_unavailable", fields: { owner: "silent" } });
  expect(passed).toBe(60_000);
});
