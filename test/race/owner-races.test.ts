/** Many processes want to be, or to have, the owner of one scope: there is one at a time, whatever they do. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { ownerRun, ownerStart, ownerStatus, ownerStop } from "../../src/operations/scope/owner-control.ts";
import { planOwner } from "../../src/operations/scope/plan-owner.ts";
import { refusalOfAsync } from "../fixtures/coded-error.ts";
import { createOwnerWorld, type OwnerWorld, stopAtEnd } from "../fixtures/owner-world.ts";

interface Ended {
  readonly code: number | null;
  readonly stderr: string;
}

/** The owner's program in the foreground, to its end. */
async function runProgram({ name, request, ports }: OwnerWorld): Promise<Ended> {
  const { file, argv, env } = await planOwner({ ...request, name }, ports);
  const child = spawn(file, argv.slice(1), { env, stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, stderr })));
}

/** `serving` and `stopped` with the process that wrote it, in the order of the log. */
function lives({ layout }: OwnerWorld): string[] {
  return readFileSync(layout.log, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { what: string; pid: number })
    .filter(({ what }) => what === "serving" || what === "stopped")
    .map(({ what, pid }) => `${what} ${pid}`);
}

it("of six that start one at the same time one does, and all get that one", async () => {
  const world = createOwnerWorld();
  stopAtEnd(world);
  const starts = await Promise.all(Array.from({ length: 6 }, () => ownerStart(world.request, world.ports)));
  expect(new Set(starts.map(({ owner }) => owner.process.pid)).size).toBe(1);
  expect(starts.filter(({ started }) => started)).toHaveLength(1);
  expect(lives(world)).toHaveLength(1);
});

it("a second owner is refused, names the scope, and the first one serves on", async () => {
  const world = createOwnerWorld();
  stopAtEnd(world);
  const { owner } = await ownerStart(world.request, world.ports);
  const { code, stderr } = await runProgram(world);
  expect(code).toBe(5);
  expect(stderr).toContain(`error[wrong_state]: Another owner serves scope ${world.name.scope}`);
  const refusal = await refusalOfAsync(() => ownerRun(world.request, world.ports));
  expect(refusal?.toJSON()).toMatchObject({ code: "wrong_state", pid: owner.process.pid, changed: false });
  expect(await world.client().descriptor()).toEqual(owner);
});

it("stops and starts that cross leave one owner at a time, and each start has one that serves", async () => {
  const world = createOwnerWorld();
  const { request, ports } = world;
  stopAtEnd(world);
  for (let round = 0; round < 3; round += 1) {
    const [first, , second] = await Promise.all([
      ownerStart(request, ports),
      ownerStop(request, ports),
      ownerStart(request, ports),
    ]);
    for (const { owner } of [first, second]) expect(owner.state).toBe("serving");
  }
  await ownerStart(request, ports);
  const seen = lives(world);
  seen.forEach((line, index) => {
    // Whoever serves is the next to stop: no two lives overlap.
    if (index % 2 === 1) expect(line).toBe(seen[index - 1]?.replace("serving", "stopped"));
  });
  expect(seen.at(-1)).toMatch(/^serving/);
});

it("what a killed owner left stops nobody: its socket, its lock, its number", async () => {
  const world = createOwnerWorld();
  const { request, ports, layout } = world;
  stopAtEnd(world);
  const first = await ownerStart(request, ports);
  const { task } = await world.client().call<{ task: string }>("task add", {
    title: "Kept",
    brief: { objective: "x" },
  });
  process.kill(first.owner.process.pid, "SIGKILL");
  while ((await ownerStatus(request, ports)).state !== "stopped");
  expect(existsSync(layout.socket)).toBe(true);
  expect(await ownerStop(request, ports)).toMatchObject({ stopped: false, pid: null });
  // What it recorded names a living process, as if its number had been given out anew.
  const recorded = JSON.parse(readFileSync(layout.endpoint, "utf8")) as { process: object };
  const recycled = { ...recorded, process: { ...recorded.process, pid: process.pid } };
  writeFileSync(layout.endpoint, JSON.stringify(recycled));
  const second = await ownerStart(request, ports);
  expect(second).toMatchObject({ started: true, owner: { instance: first.owner.instance } });
  expect(second.owner.process.pid).not.toBe(first.owner.process.pid);
  expect(await world.client().call("task show", { task })).toMatchObject({ title: "Kept" });
});

it("a process that was stopped still holds the scope: it is named, and nobody takes over", async () => {
  const world = createOwnerWorld();
  const { request, ports } = world;
  stopAtEnd(world);
  const { owner } = await ownerStart(request, ports);
  process.kill(owner.process.pid, "SIGSTOP");
  try {
    expect((await ownerStatus(request, ports)).state).toBe("unresponsive");
    const refusal = await refusalOfAsync(() => ownerStart(request, ports));
    expect(refusal?.code).toBe("owner_unavailable");
    expect(refusal?.message).toContain(`Process ${owner.process.pid} holds scope`);
  } finally {
    process.kill(owner.process.pid, "SIGCONT");
  }
  // Its own absence is noticed before anything can expire for it.
  const types = async () => {
    const { events } = await world.client().call<{ events: { payload: { cause?: string } }[] }>("events", {});
    return events.map(({ payload }) => payload.cause);
  };
  let causes = await types();
  while (!causes.includes("owner_stalled")) causes = await types();
  expect(causes.filter(Boolean)).toEqual(["owner_start", "owner_stalled"]);
});
