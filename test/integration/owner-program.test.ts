/** Which program becomes a scope's owner, and what it takes along: nothing from PATH, nothing of its starter's. */
import { chmodSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ownerStart } from "../../src/operations/scope/owner-control.ts";
import { ownerEnvironment, planOwner } from "../../src/operations/scope/plan-owner.ts";
import { refusalOfAsync } from "../fixtures/coded-error.ts";
import { createOwnerWorld, type OwnerWorld } from "../fixtures/owner-world.ts";
import { createStoreWorld, type StoreWorld, writeTree } from "../fixtures/store-world.ts";

let stores: StoreWorld;
let world: OwnerWorld;

beforeEach(() => {
  stores = createStoreWorld();
  const made = createOwnerWorld();
  const folders = { ...made.request.folders, store: stores.layout.root };
  world = { ...made, request: { ...made.request, folders } };
});

afterEach(() => stores.remove());

/** A runtime whose owner says what it was started with, or why it does not serve. */
async function activateRuntime(name: string, program: string): Promise<string> {
  const source = writeTree(join(stores.folder, name), {
    "owner.mjs": program,
    "generations/runtime.json": JSON.stringify({
      format: 1,
      name,
      include: ["owner.mjs"],
      interpreter: "running",
      entrypoints: { owner: "owner.mjs" },
    }),
  });
  const { generation } = await stores.store.stage({ source });
  stores.store.activate({ generation, profile: "default", by: "me" });
  return generation;
}

const SAYS_WHAT_IT_IS = `
  import { writeSync } from "node:fs";
  const owner = { argv: process.argv, env: Object.keys(process.env).toSorted(), cwd: process.cwd(), state: "serving" };
  writeSync(3, JSON.stringify({ ready: true, owner }) + "\\n");
`;

describe("the program", () => {
  it("is the owner of the profile's current generation, on its own interpreter", async () => {
    const { request, ports, name } = world;
    const generation = await activateRuntime("first", SAYS_WHAT_IT_IS);
    const tree = stores.layout.generation(generation);
    const started = await ownerStart(request, {
      ...ports,
      env: { HOME: "/h", NODE_OPTIONS: "-r x", TOKEN: "s" },
    });
    const owner = started.owner as unknown as { argv: string[]; env: string[]; cwd: string };
    expect(owner.argv).toEqual([
      join(tree, "bin/node"),
      join(tree, "owner.mjs"),
      ...["--root", name.root, "--profile", "default"],
      ...["--state", request.folders.state, "--store", request.folders.store, "--ready-fd", "3"],
    ]);
    expect(owner.env).toEqual(["HOME"]);
    expect(owner.cwd).toBe(world.layout.folder);
  });

  it("is that of the generation which the scope's row names, wherever that still stands", async () => {
    const { request, ports, name } = world;
    const first = await activateRuntime("first", SAYS_WHAT_IT_IS);
    stores.store.scopes.add({ ...name, instance: "i", folder: world.layout.folder });
    const planned = async () => (await planOwner({ ...request, name }, ports)).argv[1];
    expect(await planned()).toBe(join(stores.layout.generation(first), "owner.mjs"));
    const second = await activateRuntime("second", `${SAYS_WHAT_IT_IS}// another`);
    expect(await planned()).toBe(join(stores.layout.generation(second), "owner.mjs"));
  });

  it("is this very build where nothing is activated, and where what is activated is no swarm-gen", async () => {
    const { request, ports, name } = world;
    const own = new URL("../../src/owner/main.ts", import.meta.url).pathname;
    const planned = async () => (await planOwner({ ...request, name }, ports)).argv.slice(0, 2);
    expect(await planned()).toEqual([process.execPath, own]);
    const source = writeTree(join(stores.folder, "other"), { "version.txt": "1" });
    const { generation } = await stores.store.stage({ source, bare: true, name: "other" });
    stores.store.activate({ generation, profile: "default", by: "me" });
    expect(await planned()).toEqual([process.execPath, own]);
  });
});

describe("one that does not serve", () => {
  it("and says why is refused with its own words", async () => {
    const problem = { code: "ledger_newer", message: "The ledger is newer.", status: 409, known: 1 };
    const said = JSON.stringify(JSON.stringify({ ready: false, problem }));
    await activateRuntime("refusing", `import { writeSync } from "node:fs"; writeSync(3, ${said} + "\\n");`);
    const refusal = await refusalOfAsync(() => ownerStart(world.request, world.ports));
    expect(refusal?.toJSON()).toMatchObject({
      code: "ledger_newer",
      message: "The ledger is newer.",
      known: 1,
    });
  });

  it("and whose tree has lost its program, or is gone, is damaged: it is named, and none takes its place", async () => {
    const generation = await activateRuntime("damaged", SAYS_WHAT_IT_IS);
    const tree = stores.layout.generation(generation);
    const refused = async () =>
      (await refusalOfAsync(() => ownerStart(world.request, world.ports)))?.toJSON();
    chmodSync(tree, 0o755);
    rmSync(join(tree, "owner.mjs"));
    expect(await refused()).toMatchObject({ code: "generation_damaged", generation, changed: false });
    renameSync(tree, `${tree}.away`);
    expect(await refused()).toMatchObject({ code: "generation_damaged", generation });
    renameSync(`${tree}.away`, tree);
  });

  it("and says nothing is told by its last words, at once", async () => {
    await activateRuntime("crashing", `throw new Error("no such luck");`);
    const refusal = await refusalOfAsync(() => ownerStart(world.request, world.ports));
    expect(refusal?.code).toBe("owner_unavailable");
    expect(refusal?.message).toContain("Error: no such luck");
  });
});

it("the environment keeps where things are and how people read, and drops the rest", () => {
  const kept = {
    HOME: "/h",
    PATH: "/bin",
    LC_ALL: "C",
    XDG_RUNTIME_DIR: "/run/user/1",
    SWARM_GEN_HOME: "/s",
  };
  const dropped = {
    NODE_OPTIONS: "x",
    LD_PRELOAD: "x",
    DYLD_X: "x",
    SWARM_GEN_CAPABILITY_FILE: "/k",
    TMUX: "x",
    GIT_DIR: "x",
  };
  expect(ownerEnvironment({ ...kept, ...dropped, EMPTY: undefined })).toEqual(kept);
});
