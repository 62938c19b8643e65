/** The command in odd surroundings: folders, words and moments that nobody plans for. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  watch,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliWorld, createCliWorld, MAIN, placeFiles, placeRuntime } from "../fixtures/cli-world.ts";

let world: CliWorld;

beforeEach(() => {
  world = createCliWorld();
});

afterEach(() => world.remove());

describe("a home where no folder can be made", () => {
  it("does not keep the command for good", ({ skip }) => {
    // procfs answers ENOENT to a new name in a folder that exists; Node's mkdir then never ends.
    skip(process.platform !== "linux", "needs procfs");
    const env = { ...world.env, SWARM_GEN_HOME: "/proc/none" };
    placeFiles(join(world.folder, "one"), { "a.txt": "one\n" });
    const run = (...words: string[]) =>
      spawnSync(process.execPath, [MAIN, ...words], {
        cwd: world.folder,
        env,
        timeout: 20_000,
        killSignal: "SIGKILL",
      }).status;
    expect(run("ls")).toBe(0);
    expect(run("stage", "one", "--bare")).toBe(11);
  }, 60_000);
});

describe("a path", () => {
  it("that is an empty word is refused, and not taken for the working folder", () => {
    placeFiles(world.folder, { "generations/a.json": "{}" });
    for (const words of [
      ["stage", "", "--bare"],
      ["import", ""],
    ]) {
      const { code, value } = world.json(...words);
      expect([code, value.code]).toEqual([2, "invalid_input"]);
    }
    expect(readdirSync(world.folder).sort()).toEqual(["generations", "home"]);
  });

  it("that is absolute needs no working folder", () => {
    placeFiles(join(world.folder, "one"), { "a.txt": "one\n" });
    mkdirSync(join(world.folder, "gone"));
    const stage = 'rmdir "$PWD" && exec "$0" "$1" stage "$2" --bare --json';
    const { stdout } = spawnSync(
      "/bin/sh",
      ["-c", stage, process.execPath, MAIN, join(world.folder, "one")],
      { cwd: join(world.folder, "gone"), env: world.env, encoding: "utf8" },
    );
    expect(JSON.parse(stdout)).toMatchObject({ new: true, files: 2 });
  });
});

describe("a store that is no folder", () => {
  it("is the same refusal for a look and for a stage, and doctor's finding", () => {
    placeFiles(world.folder, { "one/a.txt": "one\n", "home/store": "a file" });
    for (const words of [["ls"], ["stage", "one", "--bare"]]) {
      const { code, value } = world.json(...words);
      expect([code, value.code]).toEqual([8, "state_insecure"]);
    }
    const { code, value } = world.json("doctor");
    expect(code).toBe(6);
    expect(value.findings).toMatchObject([{ severity: "fault", check: "state_insecure" }]);
  });
});

describe("an index that is no database", () => {
  it("is named, and the way out that is printed leads out", () => {
    const id = world.stage("one", { "a.txt": "one\n" }, "--activate");
    const store = join(world.home, "store");
    writeFileSync(join(store, "index.sqlite"), "garbage ".repeat(1000));
    for (const suffix of ["-wal", "-shm"]) rmSync(join(store, `index.sqlite${suffix}`), { force: true });
    const { code, value } = world.json("ls");
    expect([code, value.code]).toEqual([11, "store_unavailable"]);
    expect(value.message).toContain(`${store}/index.sqlite`);
    expect(value.hint).toContain("move index.sqlite* away: swarm-gen store gc then takes in");
    rmSync(join(store, "index.sqlite"));
    expect(world.run("store", "gc").code).toBe(0);
    expect(world.run("activate", id).code).toBe(0);
    expect(world.run("verify", "@current").code).toBe(0);
  });
});

describe("a program that ended", () => {
  it("is no reason any more: why says so, and a removal is clear", () => {
    placeRuntime(join(world.folder, "demo"));
    world.run("stage", "demo", "--activate");
    expect(world.run("run", "@current", "cli").code).toBe(0);
    const { pins, lapsed } = world.json("why", "@current").value as {
      pins: { id: string; kind: string }[];
      lapsed: string[];
    };
    expect(pins.map(({ kind }) => kind).sort()).toEqual(["activation", "process"]);
    expect(lapsed).toEqual(pins.filter(({ kind }) => kind === "process").map(({ id }) => id));
    expect(world.run("why", "@current").out).toContain("run cli (over; keeps nothing)");
    expect(world.json("uninstall", "--plan").value).toMatchObject({ clear: true, blockers: [] });
  });
});

describe("a home with odd names", () => {
  it("is removed by the commands that uninstall prints, typed as they stand", () => {
    const home = join(world.folder, "it's\na \\ \t$home");
    const env = { SWARM_GEN_HOME: home };
    placeFiles(join(world.folder, "one"), { "a.txt": "one\n" });
    expect(world.runWith({ env }, "stage", "one", "--bare").code).toBe(0);
    const { out } = world.runWith({ env }, "uninstall", "--plan");
    const commands = out.split("\n").filter((line) => /^ {2}(chmod|rm|rmdir) /.test(line));
    const { status, stderr } = spawnSync("/bin/sh", ["-ec", commands.join("\n")], { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
    expect(readdirSync(world.folder).sort()).toEqual(["one"]);
  });
});

describe("a disk that is full behind stdout", () => {
  it("is one typed sentence", ({ skip }) => {
    skip(!existsSync("/dev/full"), "needs /dev/full");
    const script = '"$0" "$1" ls --json > /dev/full; echo $?';
    const { stdout, stderr } = spawnSync("/bin/sh", ["-c", script, process.execPath, MAIN], {
      env: world.env,
      encoding: "utf8",
    });
    expect(stdout).toBe("11\n");
    expect(stderr).toMatch(/^error\[disk_full\]: stdout cannot be written: ENOSPC\.\nhint: [^\n]+\n$/);
  });
});

describe("a home that may not be looked into", () => {
  it("is a typed refusal of every look, and doctor's finding", ({ skip }) => {
    skip(process.getuid?.() === 0, "modes refuse nothing to root");
    world.stage("one", { "a.txt": "one\n" });
    chmodSync(world.home, 0);
    for (const words of [["ls"], ["uninstall", "--plan"], ["stage", "one", "--bare"]]) {
      const { code, value } = world.json(...words);
      expect([code, value.code]).toEqual([11, "store_unavailable"]);
    }
    expect(world.json("doctor").value.findings).toMatchObject([{ check: "store_unavailable" }]);
    chmodSync(world.home, 0o700);
  });
});

describe("a source that holds the store", () => {
  it("is refused at once, whole or by a recipe that takes of it, and is staged by one that does not", () => {
    const recipe = { format: 1, name: "all", interpreter: "none" };
    placeFiles(world.folder, {
      "a.txt": "one\n",
      "generations/all.json": JSON.stringify({ ...recipe, include: ["**/*.txt"] }),
      "part.json": JSON.stringify({ ...recipe, include: ["*.txt"] }),
    });
    world.stage("one", { "b.txt": "b\n" });
    for (const words of [["--bare"], []]) {
      const { code, value } = world.json("stage", ".", ...words);
      expect([code, value.code]).toEqual([2, "source_refused"]);
      expect(value.findings).toMatchObject([{ kind: "holds-store", path: "home/store" }]);
    }
    expect(world.json("stage", ".", "--recipe", "part.json").code).toBe(0);
  });
});

describe("a source with two recipes", () => {
  it("names flags that work from the folder where the command was typed", () => {
    const recipe = JSON.stringify({ format: 1, name: "one", include: ["a.txt"], interpreter: "none" });
    placeFiles(join(world.folder, "o n e"), {
      "a.txt": "one\n",
      "generations/one.json": recipe,
      "generations/two.json": recipe,
    });
    const hint = String(world.json("stage", "o n e").value.hint);
    const flag = /^Name one: (--recipe .*), or --recipe/.exec(hint)?.[1] ?? "";
    const script = `"$0" "$1" stage 'o n e' ${flag}`;
    const { status } = spawnSync("/bin/sh", ["-c", script, process.execPath, MAIN], {
      cwd: world.folder,
      env: world.env,
    });
    expect(status).toBe(0);
  });
});

describe("an export that was compressed", () => {
  it("is staged as the generation that it holds", () => {
    const id = world.stage("one", { "a.txt": "one\n", "bin/run": "#!/bin/sh\n" });
    world.run("export", id, "--to", "one.tar");
    writeFileSync(join(world.folder, "one.tar.gz"), gzipSync(readFileSync(join(world.folder, "one.tar"))));
    const elsewhere = { SWARM_GEN_HOME: join(world.folder, "elsewhere") };
    const { out } = world.runWith({ env: elsewhere }, "stage", "one.tar.gz", "--activate", "--json");
    expect(JSON.parse(out)).toMatchObject({ generation: id, name: "one", new: true });
    expect(world.runWith({ env: elsewhere }, "verify", "@current").code).toBe(0);
    expect(readdirSync(join(world.folder, "elsewhere/store/generations"))).toEqual([id]);
  });

  it("takes no other name or recipe, compressed or not", () => {
    const id = world.stage("one", { "a.txt": "one\n" });
    world.run("export", id, "--to", "one.tar");
    writeFileSync(join(world.folder, "one.tar.gz"), gzipSync(readFileSync(join(world.folder, "one.tar"))));
    for (const archive of ["one.tar", "one.tar.gz"]) {
      for (const flag of ["--name", "--recipe"]) {
        const { code, value } = world.json("stage", archive, flag, "two");
        expect([code, value.code, value.changed]).toEqual([2, "invalid_input", false]);
      }
    }
  });
});

describe("a signal while npm builds", () => {
  it("ends npm and the command, and leaves nothing", async () => {
    placeFiles(world.folder, {
      "one/a.txt": "one\n",
      "one/package.json": JSON.stringify({ dependencies: { b: "1.0.0" } }),
      "one/package-lock.json": JSON.stringify({
        lockfileVersion: 3,
        packages: {
          "": { dependencies: { b: "1.0.0" } },
          "node_modules/b": {
            version: "1.0.0",
            resolved: "http://127.0.0.1:9/b.tgz",
            integrity: "sha512-AA==",
          },
        },
      }),
      "one/generations/one.json": JSON.stringify({
        format: 1,
        name: "one",
        include: ["a.txt"],
        interpreter: "none",
        dependencies: { mode: "clean" },
      }),
      "programs/npm": `#!/bin/sh
[ "$1" = --version ] && echo 10.0.0 && exit
echo $$ > "$HOME/marks/npm"
exec /bin/sleep 60
`,
    });
    chmodSync(join(world.folder, "programs/npm"), 0o755);
    const marks = join(world.folder, "marks");
    mkdirSync(marks);
    const marked = once(watch(marks), "change");
    const env = { ...world.env, PATH: `${world.folder}/programs:/usr/bin:/bin` };
    const child = spawn(process.execPath, [MAIN, "stage", "one"], { cwd: world.folder, env });
    const ended = once(child, "exit");
    await marked;
    let npm = 0;
    while (npm === 0) npm = Number(readFileSync(join(marks, "npm"), "utf8"));
    child.kill("SIGTERM");
    expect(await ended).toEqual([143, null]);
    expect(() => process.kill(npm, 0)).toThrow("ESRCH");
    expect(readdirSync(join(world.home, "store/generations"))).toEqual([]);
    expect(readdirSync(join(world.home, "store/builds"))).toEqual([]);
  }, 60_000);
});
