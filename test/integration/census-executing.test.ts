import { type ChildProcess, spawn } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { executingBelow } from "../../src/census/executing-below.ts";
import { removeAll } from "../fixtures/store-world.ts";

const uid = process.getuid?.() ?? 0;
const READY = `process.stdout.write("ready"); setInterval(() => {}, 1000);`;

let world: string;
let folder: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  world = realpathSync(mkdtempSync(join(tmpdir(), "swarm-gen-census-")));
  folder = join(world, "store", "generations");
  mkdirSync(join(folder, "one"), { recursive: true });
  writeFileSync(join(folder, "one", "main.js"), READY);
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  removeAll(world);
});

async function start(program: string, argv: readonly string[], options: object = {}): Promise<number> {
  const child = spawn(program, argv, { stdio: ["ignore", "pipe", "inherit"], ...options });
  children.push(child);
  await new Promise((resolve, reject) => {
    child.stdout?.once("data", resolve);
    child.once("exit", reject);
  });
  return child.pid ?? 0;
}

const found = (below: string, pid: number, as = uid) =>
  executingBelow(below, process.platform, as).executing.filter((one) => one.pid === pid);

describe("a process that runs from a folder is found", () => {
  it("by the folder's name through a link, where the process runs by the real one", async () => {
    symlinkSync(world, join(world, "linked"));
    const linked = join(world, "linked", "store", "generations");
    const pid = await start(process.execPath, [join(folder, "one", "main.js")]);
    expect(found(linked, pid)).toEqual([expect.objectContaining({ path: join(linked, "one", "main.js") })]);
  });

  it("by the folder's real name, where the process was started through a link", async () => {
    symlinkSync(join(folder, "one"), join(world, "current"));
    const pid = await start(process.execPath, [join(world, "current", "main.js")]);
    expect(found(folder, pid)).toEqual([expect.objectContaining({ path: join(folder, "one", "main.js") })]);
  });

  it("where the folder stands behind = in an option, or in a URL", async () => {
    const loader = join(folder, "one", "with space.mjs");
    writeFileSync(loader, "");
    const main = join(world, "main.js");
    writeFileSync(main, READY);
    const required = await start(process.execPath, [`--require=${join(folder, "one", "main.js")}`, main]);
    expect(found(folder, required)).toHaveLength(1);
    const imported = await start(process.execPath, [`--import=${pathToFileURL(loader).href}`, main]);
    expect(found(folder, imported)).toHaveLength(1);
  });

  it("where the system lets nobody look into it, since its program cannot be read", async (context) => {
    if (process.platform !== "linux" || uid !== 0) return context.skip("starts a process as another user");
    const other = 65_534;
    chmodSync(world, 0o755);
    const program = join(folder, "one", "sh");
    copyFileSync("/bin/sh", program);
    chmodSync(program, 0o111);
    const pid = await start(program, ["-c", "echo ready; while :; do /bin/sleep 1; done"], {
      uid: other,
      gid: other,
      cwd: "/",
    });
    expect(found(folder, pid, other)).toHaveLength(1);
  });
});
