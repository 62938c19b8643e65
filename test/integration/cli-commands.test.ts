import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, lstatSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ERROR_SCHEMA, OUTPUT_SCHEMAS } from "../../src/operations/schemas/output-schemas.ts";
import { type CliWorld, createCliWorld } from "../fixtures/cli-world.ts";

const ONE = { "a.txt": "one\n", "lib/run.sh": "#!/bin/sh\n", link: "-> lib/run.sh" };
const TWO = { ...ONE, "a.txt": "two\n", "b.txt": "new\n" };
const NOWHERE = "f".repeat(64);

function withWorld(prepare?: (world: CliWorld) => void): { readonly world: CliWorld } {
  const holder: { world: CliWorld } = { world: undefined as unknown as CliWorld };
  beforeAll(() => {
    holder.world = createCliWorld();
    prepare?.(holder.world);
  });
  afterAll(() => holder.world.remove());
  return holder;
}

describe("what --json prints", () => {
  let one: string;
  let two: string;
  const held = withWorld((world) => {
    one = world.stage("one", ONE, "--activate");
    two = world.stage("two", TWO, "--activate");
  });

  const keysOf: [string[], string, string[]][] = [
    [
      ["stage", "one", "--bare"],
      "stage",
      ["generation", "name", "new", "files", "bytes", "reused", "durationMs"],
    ],
    [["ls"], "ls", ["generations"]],
    [
      ["show", "@current"],
      "show",
      [
        "generation",
        "name",
        "path",
        "files",
        "bytes",
        "narHash",
        "contract",
        "entrypoints",
        "pins",
        "activations",
      ],
    ],
    [["show", "@current", "--nar"], "show", []],
    [["show", "@current", "--files"], "show-files", ["generation", "tree"]],
    [["show", "@current", "--sums"], "show-sums", ["generation", "sums"]],
    [["diff", "@1", "@2"], "diff", []],
    [["activate", "@1"], "activate", ["activation", "generation", "previous", "changed"]],
    [["rollback"], "rollback", ["activation", "generation", "previous", "changed"]],
    [["rollback", "@1"], "rollback", ["activation", "generation", "previous", "changed"]],
    [["history"], "history", ["profile", "activations"]],
    [["verify"], "verify", ["ok", "damage"]],
    [["verify", "@current", "--quick"], "verify", ["ok", "damage"]],
    [["repair", "@current"], "repair", []],
    [["pin", "@1", "--reason", "r", "--expires-in", "7d"], "pin", []],
    [["why", "@1"], "why", []],
    [["store", "gc", "--dry-run"], "store-gc", ["live", "dead", "deleted", "freedBytes"]],
    [["store", "gc"], "store-gc", ["live", "dead", "deleted", "freedBytes"]],
    [["store", "info"], "store-info", []],
    [["export", "@1", "--to", "one.tar"], "export", []],
    [
      ["import", "one.tar"],
      "import",
      ["generation", "name", "new", "files", "bytes", "reused", "durationMs"],
    ],
    [["doctor"], "doctor", []],
    [["uninstall", "--plan"], "uninstall", []],
  ];

  it.each(keysOf)("%j has exactly the documented shape %s", (words, schema, keys) => {
    const { code, value } = held.world.json(...words);
    expect(code).toBe(0);
    expect(() => OUTPUT_SCHEMAS[schema]?.parse(value)).not.toThrow();
    if (keys.length > 0) expect(Object.keys(value)).toEqual(keys);
  });

  it("values are the operation's own", () => {
    const { world } = held;
    const staged = world.json("stage", "two", "--bare", "--name", "two").value;
    expect(staged).toMatchObject({ generation: two, name: "two", new: false, files: 5 });
    expect(world.json("ls").value.generations).toEqual(
      expect.arrayContaining([expect.objectContaining({ generation: one, name: "one" })]),
    );
    expect(world.json("show", one.slice(0, 10)).value.path).toBe(join(world.home, "store/generations", one));
    expect(world.json("diff", one, two).value).toMatchObject({ from: one, to: two });
  });

  it("unpin takes the id that pin printed, once", () => {
    const { world } = held;
    const pin = world.json("pin", "@1", "--reason", "for a while").value;
    const unpinned = world.json("unpin", String(pin.id));
    expect(OUTPUT_SCHEMAS.unpin?.parse(unpinned.value)).toEqual(pin);
    expect(world.json("unpin", String(pin.id))).toMatchObject({ code: 3, value: { code: "not_found" } });
  });
});

describe("errors", () => {
  const held = withWorld((world) => {
    world.stage("one", ONE, "--activate");
  });

  it.each([
    [["show", NOWHERE], "generation_not_found", 3],
    [["show", "@99"], "generation_not_found", 3],
    [["show", "xyz"], "invalid_input", 2],
    [["why", NOWHERE], "generation_not_found", 3],
    [["stage", "nowhere", "--bare"], "not_found", 3],
    [["stage", "one"], "not_found", 3],
    [["import", "nowhere.tar"], "not_found", 3],
    [["unpin", "nothing"], "not_found", 3],
    [["rollback", "@7"], "not_found", 3],
    [["rollback", "seven"], "invalid_input", 2],
    [["nonsense"], "invalid_input", 2],
    [["ls", "--nonsense"], "invalid_input", 2],
    [["show", "@current", "--nar", "--files"], "invalid_input", 2],
    [["verify", "--all", "@current"], "invalid_input", 2],
    [["store", "gc", "--dry-run", "--print-live"], "invalid_input", 2],
    [["export", "@current", "--to", "-"], "invalid_input", 2],
    [["export", "@current", "--to", "no/such/folder/x.tar"], "invalid_input", 2],
    [["uninstall"], "invalid_input", 2],
  ])("%j ends as %s, exit %i, on stdout as JSON and on stderr for people", (words, code, exit) => {
    const json = held.world.json(...words);
    expect(() => ERROR_SCHEMA.parse(json.value)).not.toThrow();
    expect([json.value.code, json.code]).toEqual([code, exit]);
    if (words.join(" ") === "export @current --to -") return;
    const people = held.world.run(...words);
    expect(people.code).toBe(exit);
    expect(people.out).toBe("");
    expect(people.err).toMatch(new RegExp(`^error\\[${code}\\]: [\\s\\S]+\\nhint: .+\\n$`));
  });

  it("run's own errors too", () => {
    expect(held.world.run("run", "@current", "cli").err).toMatch(/^error\[not_found\]: /);
    const { out, code } = held.world.run("run", "--json", "@current", "cli");
    expect([JSON.parse(out).code, code]).toEqual(["not_found", 3]);
  });

  it("a name from outside cannot reach the terminal", () => {
    const { err } = held.world.run("show", "\u001b[2J\u202e");
    expect(err).toContain("\\x1b[2J\\u202e");
    expect(err).not.toContain("\u001b");
    expect(err).not.toContain("\u202e");
  });

  it("a bug is internal, exit 1, and shows its stack only when asked", () => {
    // A home that is a file makes opening fail in a way that no code foresees, or is coded: either
    // way no stack may show.
    writeFileSync(join(held.world.folder, "file"), "");
    const env = { SWARM_GEN_HOME: join(held.world.folder, "file") };
    const { code, err } = held.world.runWith({ env }, "ls");
    expect(code).not.toBe(0);
    expect(err).not.toMatch(/^\s+at /m);
  });

  it("a relative home is refused before anything is made", () => {
    const { code, err } = held.world.runWith({ env: { SWARM_GEN_HOME: "relative" } }, "ls");
    expect(code).toBe(2);
    expect(err).toContain("SWARM_GEN_HOME is relative, which is not an absolute path");
    expect(existsSync(join(held.world.folder, "relative"))).toBe(false);
  });
});

describe("what people see", () => {
  let one: string;
  const held = withWorld((world) => {
    one = world.stage("one", ONE, "--activate");
    world.stage("two", TWO);
  });

  it("ls marks the current generation and shortens ids to 12 digits", () => {
    const { out } = held.world.run("ls");
    const lines = out.trim().split("\n");
    expect(lines[0]).toMatch(/^GENERATION +NAME +FILES +SIZE +STAGED \(UTC\) +PINS +ACTIVATIONS$/);
    expect(lines).toHaveLength(3);
    expect(lines.filter((line) => line.startsWith(`${one.slice(0, 12)} *  one `))).toHaveLength(1);
    expect(out).not.toContain(one.slice(0, 13));
  });

  it("nothing is coloured in a pipe, and no progress is drawn", () => {
    const { out, err } = held.world.run("stage", "two", "--bare", "--name", "two");
    expect(out).toMatch(/^[0-9a-f]{12} {2}two {2}known already\n/);
    expect(out + err).not.toContain("\u001b");
    expect(err).toBe("");
  });

  it("show --sums is accepted by sha256sum -c inside the tree", () => {
    const { out } = held.world.run("show", "@current", "--sums");
    const { status, stdout } = spawnSync("sha256sum", ["-c", "--strict", "-"], {
      cwd: join(held.world.home, "store/generations", one),
      input: out,
      encoding: "utf8",
    });
    expect(status).toBe(0);
    expect(stdout.trim().split("\n").sort()).toEqual(["a.txt: OK", "generation.json: OK", "lib/run.sh: OK"]);
  });

  it("export to a file and through a pipe are the same bytes, which sha256sum confirms", () => {
    const { world } = held;
    const { value } = world.json("export", "@current", "--to", "x.tar");
    const piped = spawnSync(
      "/bin/sh",
      ["-c", '"$0" "$@" > y.tar', process.execPath, mainOf(), "export", "@current", "--to", "-"],
      {
        cwd: world.folder,
        env: world.env,
        encoding: "utf8",
      },
    );
    expect(piped.stdout).toBe("");
    expect(piped.stderr).toMatch(/^[0-9a-f]{12} written: .*\n$/);
    const sums = spawnSync("sha256sum", ["x.tar", "y.tar"], { cwd: world.folder, encoding: "utf8" }).stdout;
    expect(sums).toBe(`${value.sha256}  x.tar\n${value.sha256}  y.tar\n`);
    const listed = spawnSync("tar", ["-tf", "x.tar"], { cwd: world.folder, encoding: "utf8" }).stdout;
    expect(listed.split("\n")).toEqual(expect.arrayContaining([expect.stringMatching(/a\.txt$/)]));
  });

  it("gc prints live and dead ids in full, one a line, and deletes what the dry run named", () => {
    const { world } = held;
    const two = String(world.json("stage", "two", "--bare", "--name", "two").value.generation);
    const gc = (...flags: string[]) => world.run("store", "gc", "--older-than", "0s", ...flags).out;
    expect(gc("--print-live")).toBe(`${one}\n`);
    expect(gc("--print-dead")).toBe(`${two}\n`);
    expect(gc("--dry-run")).toContain(`${two.slice(0, 12)}  would be removed\n`);
    expect(gc()).toContain(`${two.slice(0, 12)}  removed\n`);
    expect(gc("--print-dead")).toBe("");
    expect(world.run("why", two).out).toMatch(/^[0-9a-f]{12} was collected at /);
    expect(world.json("why", two).value.state).toBe("collected");
  });
});

describe("verify and repair", () => {
  const held = withWorld((world) => {
    world.stage("one", ONE, "--activate");
  });

  it("damage is exit 6 with --json and without, and repair ends it", () => {
    const { world } = held;
    const path = String(world.json("show", "@current").value.path);
    const before = lstatSync(path).mode;
    chmodSync(path, 0o755);
    writeFileSync(join(path, "stray"), "x");
    chmodSync(path, before & 0o777);
    const found = world.json("verify");
    expect(found.code).toBe(6);
    expect(found.value).toMatchObject({ ok: false, damage: [{ path: "stray", kind: "extra" }] });
    expect(world.run("verify", "--quick").code).toBe(6);
    expect(world.run("verify").out).toMatch(/extra {2}stray/);
    const doctor = world.json("doctor");
    expect(doctor.code).toBe(6);
    expect(doctor.value.findings).toEqual([
      expect.objectContaining({ severity: "fault", check: "current-damaged" }),
    ]);
    expect(world.run("repair", "@current").code).toBe(0);
    expect(world.run("verify").code).toBe(0);
    expect(world.json("repair", "@current").value.changed).toBe(false);
  });
});

describe("doctor and uninstall", () => {
  it("explain a store that others can write, instead of failing on it", () => {
    const world = createCliWorld();
    try {
      world.stage("one", ONE);
      chmodSync(join(world.home, "store"), 0o777);
      expect(world.json("ls")).toMatchObject({ code: 8, value: { code: "state_insecure" } });
      const { code, value } = world.json("doctor");
      expect(code).toBe(6);
      expect(value.findings).toEqual([
        expect.objectContaining({ severity: "fault", check: "state_insecure" }),
      ]);
    } finally {
      world.remove();
    }
  });

  it("uninstall names folders, sizes and commands, removes nothing, and its commands work", () => {
    const world = createCliWorld();
    try {
      world.stage("one", ONE, "--activate");
      const { value } = world.json("uninstall", "--plan");
      const plan = OUTPUT_SCHEMAS.uninstall?.parse(value) as {
        clear: boolean;
        remove: { path: string; bytes: number }[];
        commands: string[];
      };
      expect(plan.remove.map(({ path }) => path)).toEqual([
        join(world.home, "store"),
        join(world.home, "cache"),
      ]);
      expect(plan.remove.every(({ bytes }) => bytes > 0)).toBe(true);
      expect(readdirSync(join(world.home, "store/generations"))).toHaveLength(1);
      expect(spawnSync("/bin/sh", ["-ec", plan.commands.join("\n")]).status).toBe(0);
      expect(existsSync(world.home)).toBe(false);
    } finally {
      world.remove();
    }
  });
});

describe("questions to a store that does not exist", () => {
  it.each([
    ["ls"],
    ["history"],
    ["verify"],
    ["store info"],
    ["store gc --dry-run"],
    ["doctor"],
    ["uninstall --plan"],
  ])("%s makes nothing but the compile cache", (words) => {
    const world = createCliWorld();
    try {
      expect(world.run(...words.split(" ")).code).toBe(0);
      expect(existsSync(join(world.home, "store"))).toBe(false);
      expect(existsSync(join(world.home, "state"))).toBe(false);
    } finally {
      world.remove();
    }
  });
});

function mainOf(): string {
  return new URL("../../src/surface/cli/main.ts", import.meta.url).pathname;
}
