/** Where an owner stands: whose socket is whose, and what it does when the ground is taken from under it. */
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createSystemProcesses } from "../../src/census/index.ts";
import { readEndpoint } from "../../src/operations/scope/endpoint.ts";
import { ownerStart, ownerStatus, ownerStop } from "../../src/operations/scope/owner-control.ts";
import { refusalOfAsync } from "../fixtures/coded-error.ts";
import { realTimers } from "../fixtures/owner-ports.ts";
import { createOwnerWorld, type OwnerWorld, stopAtEnd } from "../fixtures/owner-world.ts";
import { mountSmallDisk } from "../fixtures/small-disk.ts";

const TASK = { title: "Port the parser", brief: { objective: "x" } };

/** What happens each second happens each 20 ms. */
const QUICK = { ...realTimers, after: (ms: number, act: () => void) => realTimers.after(ms / 50, act) };

function runtimeFolder({ folder }: OwnerWorld): string {
  const runtime = join(folder, "runtime");
  mkdirSync(runtime, { mode: 0o700 });
  return runtime;
}

const logged = ({ layout }: OwnerWorld) =>
  readFileSync(layout.log, "utf8")
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { what: string }).what);

describe("a project with a scope in each of two state folders", () => {
  it("has an owner of each, and neither takes the other's socket in the runtime folder they share", async () => {
    const world = createOwnerWorld();
    const ports = { ...world.ports, env: { XDG_RUNTIME_DIR: runtimeFolder(world) } };
    const second = {
      ...world.request,
      folders: { ...world.request.folders, state: join(world.folder, "other") },
    };
    onTestFinished(async () => void (await ownerStop(second, ports)));
    onTestFinished(async () => void (await ownerStop(world.request, ports)));
    const { owner: first } = await ownerStart(world.request, ports);
    const { owner: other } = await ownerStart(second, ports);
    expect(other.instance).not.toBe(first.instance);
    expect(await world.client().descriptor()).toEqual(first);
    expect((await ownerStop(second, ports)).pid).toBe(other.process.pid);
    expect(await world.client().descriptor()).toEqual(first);
  });

  it("of which one is a copy of the other leads nobody from the copy to the other's owner", async () => {
    const world = createOwnerWorld();
    stopAtEnd(world);
    await ownerStart(world.request, world.ports);
    const state = join(world.folder, "copy");
    cpSync(world.request.folders.state, state, {
      recursive: true,
      filter: (path) => !path.endsWith(".sock"),
    });
    const copied = { ...world.request, folders: { ...world.request.folders, state } };
    expect(await ownerStatus(copied, world.ports)).toMatchObject({ state: "stopped", endpoint: null });
  });
});

describe("an owner", () => {
  it("whose socket goes with the runtime folder listens anew where it can", async () => {
    const world = createOwnerWorld();
    const runtime = runtimeFolder(world);
    const owner = await world.start({ env: { XDG_RUNTIME_DIR: runtime }, timers: QUICK });
    const client = world.client();
    expect(owner.socket).toMatch(new RegExp(`^${runtime}/sg/[0-9a-f]{12}/api\\.sock$`));
    rmSync(runtime, { recursive: true });
    // The connection that is open ends when the owner moves; its client finds it again by itself.
    await expect.poll(() => readEndpoint(world.layout.endpoint)?.socket).toBe(world.layout.socket);
    expect(await client.call("task add", TASK)).toMatchObject({ state: "open" });
    unlinkSync(world.layout.socket);
    await expect.poll(async () => (await ownerStatus(world.request, world.ports)).state).toBe("running");
    expect(logged(world).filter((what) => what === "listening anew")).toHaveLength(2);
  });

  it("whose ledger is moved away ends, so that nothing is promised that nobody will find", async () => {
    const world = createOwnerWorld();
    const owner = await world.start({ timers: QUICK });
    const { ledger } = world.layout;
    renameSync(ledger, `${ledger}.moved`);
    await owner.ended.catch(() => {});
    expect(logged(world)).toContain("the ledger is gone");
    expect((await refusalOfAsync(() => world.start()))?.code).toBe("not_found");
  });

  it("that cannot listen in the runtime folder listens in its own", async (context) => {
    const world = createOwnerWorld();
    const runtime = mountSmallDisk(context, world.folder, 1);
    execFileSync("mount", ["-o", "remount,ro", runtime]);
    const owner = await world.start({ env: { XDG_RUNTIME_DIR: runtime } });
    expect(owner.socket).toBe(world.layout.socket);
  });

  it("that has given up its socket and still closes is waited for by who stops it", async () => {
    const world = createOwnerWorld();
    const { layout, request, ports } = world;
    await (await world.start()).stop("another takes its place");
    const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    const { pid = 0 } = child;
    const { platform, uid } = { ...ports.running, ...ports };
    const closing = createSystemProcesses({ platform, pid, uid }).self();
    const recorded = JSON.parse(readFileSync(layout.endpoint, "utf8")) as object;
    writeFileSync(layout.endpoint, JSON.stringify({ ...recorded, process: closing }));
    expect((await ownerStatus(request, ports)).state).toBe("unresponsive");
    const after = (ms: number, act: () => void) => {
      // The pause between two looks: it ends while it is waited for.
      if (ms === 50) child.kill("SIGKILL");
      return realTimers.after(ms, act);
    };
    const stopped = await ownerStop(request, { ...ports, timers: { ...realTimers, after } });
    expect(stopped).toMatchObject({ stopped: true, pid });
    expect((await ownerStatus(request, ports)).state).toBe("stopped");
  });

  it("that starts while admission is closed is in probation, and says so", async () => {
    const world = createOwnerWorld();
    const first = await world.start();
    expect(first.descriptor().probation).toBe(false);
    await first.stop("for the upgrade");
    world.store.admission.close({ profile: "default", command: "up", reason: "upgrade", target: null });
    await world.start();
    expect((await world.client().descriptor()).probation).toBe(true);
  });
});

it("a port that is set is served from the next start on, and one that is taken keeps no owner from serving", async () => {
  const world = createOwnerWorld();
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const { port } = taken.address() as AddressInfo;
  const restarted = async () => {
    await owner.stop("to serve there");
    owner = await world.start();
    return owner.tcpPort;
  };
  let owner = await world.start();
  expect(owner.tcpPort).toBeNull();
  await world.client().call("settings set", { key: "api.tcp-port", value: port });
  expect(await restarted()).toBeNull();
  expect(logged(world)).toContain("served on the socket alone");
  expect((await refusalOfAsync(() => world.start({ tcpPort: port })))?.code).toBe("wrong_state");
  await new Promise((resolve) => taken.close(resolve));
  expect(await restarted()).toBe(port);
  expect((await world.http({ path: "/v1/task.ls", body: {}, tcpPort: port })).status).toBe(200);
  expect((await world.client().descriptor()).tcpPort).toBe(port);
});
