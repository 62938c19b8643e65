/** A scope's folder: begun once, opened ever after, private, and refused where it is not. */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createLedger } from "../../src/coordinator/ledger/open-ledger.ts";
import { openScope } from "../../src/operations/scope/open-scope.ts";
import { ownerLogs, ownerStatus } from "../../src/operations/scope/owner-control.ts";
import { refusalOfAsync } from "../fixtures/coded-error.ts";
import { createOwnerWorld, type OwnerWorld } from "../fixtures/owner-world.ts";

async function begun(): Promise<OwnerWorld> {
  const world = createOwnerWorld();
  const owner = await world.start();
  await world.client().call("task add", { title: "Kept", brief: { objective: "x" } });
  await owner.stop("the test goes on without one");
  return world;
}

const refusedStart = async (world: OwnerWorld) => (await refusalOfAsync(() => world.start()))?.toJSON();
const titles = async (world: OwnerWorld) => {
  const { tasks } = await world.client().call<{ tasks: { title: string }[] }>("task ls", {});
  return tasks.map(({ title }) => title);
};

describe("a scope that has begun", () => {
  it("is opened again with its instance, its keys and its tasks", async () => {
    const world = await begun();
    const config = readFileSync(world.layout.config, "utf8");
    const key = world.operatorKey();
    const { descriptor } = await world.start();
    expect(JSON.parse(config)).toEqual({
      format: 1,
      root: world.request.cwd,
      profile: "default",
      instance: descriptor().instance,
    });
    expect(readFileSync(world.layout.config, "utf8")).toBe(config);
    expect(world.operatorKey()).toBe(key);
    expect(await titles(world)).toEqual(["Kept"]);
  });

  it("whose ledger is gone is refused, and none is made in its place", async () => {
    const world = await begun();
    renameSync(world.layout.ledger, join(world.folder, "aside"));
    expect(await refusedStart(world)).toMatchObject({ code: "not_found", changed: false });
    expect(readdirSync(world.layout.folder)).not.toContain("ledger.sqlite");
    renameSync(join(world.folder, "aside"), world.layout.ledger);
    await world.start();
    expect(await titles(world)).toEqual(["Kept"]);
  });

  it("is refused with a ledger of another instance, of another project, and with a config that is no config", async () => {
    const world = await begun();
    const config = JSON.parse(readFileSync(world.layout.config, "utf8"));
    const write = (more: object) =>
      writeFileSync(world.layout.config, JSON.stringify({ ...config, ...more }), { mode: 0o600 });
    write({ instance: "another" });
    expect(await refusedStart(world)).toMatchObject({ code: "ledger_foreign", expected: "another" });
    write({ root: "/another/project" });
    expect(await refusedStart(world)).toMatchObject({ code: "ledger_foreign" });
    write({ format: 2 });
    expect(await refusedStart(world)).toMatchObject({ code: "ledger_foreign" });
    write({});
    await world.start();
    expect(await titles(world)).toEqual(["Kept"]);
  });

  it("whose key was lost gets a new one, and the old one ends", async () => {
    const world = await begun();
    const old = world.operatorKey();
    rmSync(world.layout.operatorKey);
    await world.start();
    expect(world.operatorKey()).not.toBe(old);
    expect(await titles(world)).toEqual(["Kept"]);
    const { body } = await world.http({ path: "/v1/task.ls", capability: old, body: {} });
    expect(body.code).toBe("enrollment_revoked");
  });

  it("whose key holds no secret any more gets a new one, which lets the operator in", async () => {
    const world = await begun();
    writeFileSync(world.layout.operatorKey, "");
    await world.start();
    expect(world.operatorKey()).toMatch(/^sgk_[0-9a-f]{64}$/);
    expect(await world.client().call("task ls", {})).toMatchObject({ tasks: expect.any(Array) });
  });

  it("is a file and nothing else once its owner has stopped: no log, no socket", async () => {
    const world = await begun();
    expect(readdirSync(world.layout.folder).toSorted()).toEqual([
      "endpoint",
      "launcher.key",
      "ledger.sqlite",
      "logs",
      "operator.key",
      "owner.lock",
      "scope.json",
    ]);
  });
});

describe("a creation that was cut short", () => {
  it("after its ledger was made goes on with that ledger", async () => {
    const world = createOwnerWorld();
    const { layout, name } = world;
    mkdirSync(layout.folder, { recursive: true, mode: 0o700 });
    for (const folder of [layout.state, layout.scopes]) chmodSync(folder, 0o700);
    createLedger({ path: layout.ledger, instance: "first", ...name, now: Date.now() }).close();
    const { descriptor } = await world.start();
    expect(descriptor().instance).toBe("first");
    expect(await titles(world)).toEqual([]);
  });

  it("finds a ledger of another project, and refuses it", async () => {
    const world = createOwnerWorld();
    const { layout } = world;
    mkdirSync(layout.folder, { recursive: true, mode: 0o700 });
    createLedger({ path: layout.ledger, instance: "x", root: "/other", profile: "default", now: 1 }).close();
    expect(await refusedStart(world)).toMatchObject({ code: "ledger_foreign", changed: false });
  });

  it("needs open admission, and a scope that has begun does not", async () => {
    const world = createOwnerWorld();
    const close = { profile: "default", command: "swarm-gen upgrade", reason: "a new one", target: null };
    const { epoch } = world.store.admission.close(close);
    expect(await refusedStart(world)).toMatchObject({ code: "admission_closed" });
    expect(readdirSync(world.layout.folder)).not.toContain("ledger.sqlite");
    world.store.admission.open({ profile: "default", epoch });
    const owner = await world.start();
    await owner.stop("the test closes admission");
    world.store.admission.close(close);
    expect((await world.start()).descriptor().state).toBe("serving");
  });
});

describe("what others could read or write", () => {
  it("is refused with the command that mends it, and is not mended", async () => {
    const world = await begun();
    const { layout, request, ports } = world;
    const cases = [
      [layout.folder, 0o755, "chmod 700"],
      [layout.state, 0o777, "chmod 700"],
      [layout.operatorKey, 0o644, "chmod 600"],
      [layout.ledger, 0o640, "chmod 600"],
      [layout.lock, 0o604, "chmod 600"],
    ] as const;
    for (const [path, mode, command] of cases) {
      const before = lstatSync(path).mode & 0o777;
      chmodSync(path, mode);
      const refusals = [
        await refusedStart(world),
        (await refusalOfAsync(() => ownerStatus(request, ports)))?.toJSON(),
        (await refusalOfAsync(() => openScope({ ...request, start: false }, ports)))?.toJSON(),
      ];
      for (const refusal of refusals) {
        expect(refusal).toMatchObject({ code: "state_insecure", path, changed: false });
        expect(refusal?.hint).toContain(`${command} ${path}`);
      }
      expect(lstatSync(path).mode & 0o777).toBe(mode);
      chmodSync(path, before);
    }
  });

  it("is nothing: folders are 0700 and files 0600", async () => {
    const world = await begun();
    const { folder, logs } = world.layout;
    for (const path of [folder, logs]) expect(lstatSync(path).mode & 0o777).toBe(0o700);
    const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThan(5);
    for (const { name } of files) expect(lstatSync(join(folder, name)).mode & 0o777, name).toBe(0o600);
  });

  it("and no secret stands in the log, on the feed, in the config or in the ledger", async () => {
    const world = await begun();
    await world.start();
    const secrets = [world.operatorKey(), readFileSync(world.layout.launcherKey, "utf8").trim()];
    await world.http({ path: `/v1/${secrets[0]}`, body: {} });
    await world.http({ path: "/v1/task.add", body: { title: secrets[0] } });
    const { layout, request, ports } = world;
    const { lines } = await ownerLogs({ ...request, lines: 1000 }, ports);
    const texts = [
      lines.join("\n"),
      ...[layout.ledger, `${layout.ledger}-wal`, layout.config].map((path) => readFileSync(path, "latin1")),
    ];
    for (const text of texts) for (const secret of secrets) expect(text.includes(secret)).toBe(false);
  });
});

describe("a look at a scope", () => {
  it("that was never begun makes nothing and says so", async () => {
    const world = createOwnerWorld();
    const { request, ports } = world;
    expect(await ownerStatus(request, ports)).toEqual({
      ...world.name,
      state: "none",
      folder: world.layout.folder,
      endpoint: null,
      owner: null,
    });
    const refusal = await refusalOfAsync(() => openScope({ ...request, start: false }, ports));
    expect(refusal?.code).toBe("owner_unavailable");
    expect((await refusalOfAsync(() => ownerLogs({ ...request, lines: 1 }, ports)))?.code).toBe("not_found");
    expect(readdirSync(world.folder)).toEqual(["project"]);
  });

  it("that has no owner starts none: a query is refused, and nothing of the scope changes", async () => {
    const world = await begun();
    const before = readdirSync(world.layout.folder);
    const { client } = await openScope({ ...world.request, start: false }, world.ports);
    const refusal = await refusalOfAsync(() => client.call("task ls", {}));
    expect(refusal?.toJSON()).toMatchObject({ code: "owner_unavailable", retryable: true });
    expect(refusal?.hint).toContain("swarm-gen owner start");
    expect(readdirSync(world.layout.folder)).toEqual(before);
  });
});
