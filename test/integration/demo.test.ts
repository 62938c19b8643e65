/** The demonstration shows what really is: its claims are checked in the home that it leaves. */
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const ROOT = new URL("../..", import.meta.url).pathname;
const DEMO_LIMIT_MS = 180_000;
let folder: string;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "demo-test-")));
});
afterAll(() => void spawnSync("/bin/sh", ["-c", 'chmod -R u+w "$0" && rm -rf "$0"', folder]));

function demo(temporary: string, path: string, ...flags: string[]) {
  mkdirSync(temporary);
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, "scripts/demo.ts"), ...flags], {
    cwd: folder,
    env: { ...process.env, TMPDIR: temporary, PATH: path },
    encoding: "utf8",
    timeout: DEMO_LIMIT_MS,
  });
  return { code: status, out: stdout, err: stderr };
}

describe("the demonstration", () => {
  let shown: ReturnType<typeof demo>;
  let home: string;

  beforeAll(() => {
    const temporary = join(folder, "kept");
    shown = demo(temporary, process.env.PATH ?? "", "--keep");
    home = join(
      temporary,
      readdirSync(temporary).find((name) => name.startsWith("swarm-gen-demo-"))!,
      "home",
    );
  }, DEMO_LIMIT_MS);

  // Answers differ in shape from command to command; each test says what it expects of its own.
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON that the assertions describe
  function ask(...words: string[]): any {
    const { stdout } = spawnSync(join(ROOT, "bin/swarm-gen"), [...words, "--json"], {
      env: { PATH: process.env.PATH, SWARM_GEN_HOME: home },
      encoding: "utf8",
    });
    return JSON.parse(stdout);
  }

  test("runs to its end, and runs this version from the store", () => {
    expect({ code: shown.code, err: shown.err }).toMatchObject({ code: 0 });
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    expect(shown.out).toMatch(new RegExp(`^\\$ swarm-gen run @current cli --version .*\\n${version}$`, "m"));
  });

  test("leaves two intact generations, the first one current again", () => {
    const { activations } = ask("history");
    expect(activations.map(({ activation, kind }: Record<string, unknown>) => [activation, kind])).toEqual([
      [3, "rollback"],
      [2, "activate"],
      [1, "activate"],
    ]);
    expect(activations[0].generation).toBe(activations[2].generation);
    expect(activations[0].generation).not.toBe(activations[1].generation);
    expect(ask("ls").generations).toHaveLength(2);
    expect(ask("verify", "--all")).toEqual({ ok: true, damage: [] });
  });

  test("the two differ in the one file that was changed, and share the rest", () => {
    expect(ask("diff", "@1", "@2").files.map(({ path }: { path: string }) => path)).toEqual(["README.md"]);
    const store = ask("store", "info");
    expect(store.blobBytes).toBeLessThan(0.6 * store.apparentBytes);
  });

  test("hands out a task, by an owner that ran from the generation that was current", () => {
    const { tasks, owner } = ask("status", "--scope", ROOT);
    expect([tasks, owner]).toEqual([
      { open: 0, running: 0, cancel_requested: 0, completed: 1, failed: 0, cancelled: 0 },
      null,
    ]);
    const [generation] = ask("ls").generations.filter(({ generation: id }: { generation: string }) =>
      shown.out.includes(`generation  ${id.slice(0, 12)}\n`),
    );
    expect(generation.generation).toBe(ask("history").activations[0].generation);
    expect(shown.out).not.toMatch(/sgk_/);
  });

  test("shows ids that the store knows", () => {
    const ids = ask("ls").generations.map(({ generation }: { generation: string }) => generation);
    for (const id of ids) expect(shown.out).toContain(id.slice(0, 12));
  });
});

test("a demonstration that fails says at which command, and leaves nothing behind", () => {
  // All that it runs but npm, without which no dependencies can be built.
  const tools = join(folder, "tools");
  mkdirSync(tools);
  for (const name of ["chmod", "cp", "rm", "readlink"]) {
    const found = ["/usr/bin", "/bin"].map((place) => join(place, name)).find(existsSync);
    symlinkSync(found!, join(tools, name));
  }
  const temporary = join(folder, "failed");
  const { code, out, err } = demo(temporary, tools);
  expect(code).toBe(1);
  expect(err).toContain('"swarm-gen stage --activate" ended with exit code 2');
  expect(out).not.toContain("Next, for good");
  expect(readdirSync(temporary).filter((name) => name.startsWith("swarm-gen-demo-"))).toEqual([]);
});
