/** The commands of a project's ledger, by whole processes, with an owner that they start themselves. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { z } from "zod";
import { uuidV7 } from "../../src/kernel/uuid.ts";
import { OPERATION_CODE } from "../../src/operations/ledger/operation-code.ts";
import type { OperationName } from "../../src/operations/ledger/operation-table.ts";
import { OUTPUT_SCHEMAS } from "../../src/operations/schemas/output-schemas.ts";
import { type CliWorld, createCliWorld, MAIN } from "../fixtures/cli-world.ts";

const BRIEF = '{"objective":"Port it"}';

function withWorld(): { readonly world: CliWorld } {
  const holder = { world: undefined as unknown as CliWorld };
  beforeAll(() => {
    holder.world = createCliWorld();
  });
  afterAll(() => holder.world.remove());
  return holder;
}

/** As the documents describe the output. */
function documented(schema: string, value: unknown): Record<string, unknown> {
  return (OUTPUT_SCHEMAS[schema] as z.ZodType<Record<string, unknown>>).parse(value);
}

function addTask(world: CliWorld, title = "Port the parser"): string {
  return String(world.json("task", "add", title, "--brief", BRIEF).value.task);
}

function enroll(world: CliWorld, name: string): string {
  const file = `${name}.key`;
  const words = ["worker", "--label", name, "--consumer", "script", "--capability-file", file];
  expect(world.run("enroll", ...words).code).toBe(0);
  return file;
}

const newCommandId = (() => {
  let made = 0;
  return () => uuidV7(Date.now(), { hex: (bytes) => (++made).toString(16).padStart(bytes * 2, "0") });
})();

describe("a project whose owner never ran", () => {
  const held = withWorld();

  it.each([
    [["task", "ls"]],
    [["inbox", "ls"]],
    [["alarm", "ls"]],
    [["settings", "ls"]],
    [["events"]],
    [["events", "--follow"]],
  ])("%j starts nothing, makes nothing, and says what starts one", (words) => {
    const { code, out, err } = held.world.run(...words);
    expect([code, out]).toEqual([11, ""]);
    expect(err).toMatch(/^error\[owner_unavailable\]: [^\n]+\nhint: [^\n]*swarm-gen owner start[^\n]*\n$/);
    expect(existsSync(join(held.world.home, "state"))).toBe(false);
  });

  it("input that is malformed starts nothing either", () => {
    expect(held.world.json("task", "add", "T", "--brief", "{oops").value.code).toBe("invalid_input");
    expect(held.world.json("task", "add", "T", "--brief", "@none").value.code).toBe("not_found");
    expect(existsSync(join(held.world.home, "state"))).toBe(false);
  });
});

describe("commands and an owner that they start", () => {
  const held = withWorld();

  it("the first that changes something starts it and says so; the next find it", () => {
    const words = ["task", "add", "Port the parser", "--brief", BRIEF, "--json"];
    const first = held.world.run(...words);
    expect([first.code, first.err]).toEqual([0, "starting the owner of this project\n"]);
    const next = held.world.run(...words);
    expect([next.code, next.err]).toEqual([0, ""]);
    expect(JSON.parse(next.out)).toMatchObject({ title: "Port the parser", state: "open", fence: 0 });
  });

  it.each([
    ["task ls", []],
    ["intent ls", []],
    ["launch ls", []],
    ["inbox ls", []],
    ["alarm ls", []],
    ["settings ls", []],
    ["settings get", ["task.lease"]],
    ["actor ls", []],
    ["events", ["--since", "0"]],
    ["pause", ["--reason", "a look"]],
    ["resume", []],
  ] as [OperationName, string[]][])("%s prints exactly its operation's output", (name, words) => {
    const { code, value } = held.world.json(...name.split(" "), ...words);
    expect(code).toBe(0);
    expect(() => OPERATION_CODE[name].output.parse(value)).not.toThrow();
    const people = held.world.run(...name.split(" "), ...words);
    expect([people.code, people.err]).toEqual([0, ""]);
    expect(people.out).not.toBe("");
    expect(people.out).not.toContain("undefined");
  });

  it("a command that is repeated under its id is done once, and answered twice", () => {
    const words = ["task", "add", "Once", "--brief", BRIEF, "--command-id", newCommandId()];
    const first = held.world.json(...words).value;
    expect(held.world.json(...words).value).toEqual(first);
    const { tasks } = held.world.json("task", "ls").value as { tasks: { title: string }[] };
    expect(tasks.filter(({ title }) => title === "Once")).toHaveLength(1);
    const other = held.world.json("task", "add", "Other", ...words.slice(3));
    expect([other.code, other.value.code]).toEqual([5, "idempotency_conflict"]);
  });

  it("another folder of the project is the same project, and --scope names one from afar", () => {
    const inside = held.world.runWith({ cwd: "/" }, "task", "ls", "--json", "--scope", held.world.folder);
    expect(inside.code).toBe(0);
    expect(held.world.runWith({ cwd: "/" }, "task", "ls").code).toBe(11);
    expect(held.world.run("task", "ls", "--profile", "other").code).toBe(11);
  });

  it("what the owner refuses has the code, the exit and the sentence of the catalogue", () => {
    const { code, value } = held.world.json("task", "show", "t-ffffffff");
    expect([code, value.code, value.retryable]).toEqual([3, "not_found", false]);
    const malformed = held.world.json("task", "ls", "--states", "lost");
    expect([malformed.code, malformed.value.code]).toEqual([2, "invalid_input"]);
  });

  it("a title from outside reaches no terminal as it is", () => {
    const { out } = held.world.run("task", "add", "bell \u00ad", "--brief", BRIEF);
    expect(out).not.toContain("\u00ad");
  });
});

describe("a worker that is enrolled", () => {
  const held = withWorld();

  it("has its secret in a file of the user's own, and nowhere else", () => {
    const { world } = held;
    const words = ["worker", "--label", "one", "--consumer", "script"];
    const { code, out, err } = world.run("enroll", ...words, "--capability-file", "one.key", "--json");
    expect(code).toBe(0);
    const file = join(world.folder, "one.key");
    const secret = readFileSync(file, "utf8").trim();
    expect(secret.length).toBeGreaterThan(32);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(out + err).not.toContain(secret);
    expect(err).toContain(`its capability is in ${file}`);
    world.run("owner", "stop");
    const state = globSync("state/**/*", { cwd: world.home }).map((path) => join(world.home, path));
    const files = state.filter((path) => statSync(path).isFile());
    expect(files.length).toBeGreaterThan(4);
    expect(files.filter((path) => readFileSync(path).includes(secret))).toEqual([]);
  });

  it("never takes the place of a file that is there", () => {
    const { world } = held;
    writeFileSync(join(world.folder, "mine"), "mine\n");
    const words = ["enroll", "worker", "--label", "x", "--capability-file", "mine"];
    const { code, value } = world.json(...words);
    expect([code, value.code, value.changed]).toEqual([2, "invalid_input", false]);
    expect(world.json(...words, "--command-id", newCommandId()).value.code).toBe("invalid_input");
    expect(readFileSync(join(world.folder, "mine"), "utf8")).toBe("mine\n");
  });

  it("leaves no file where it is refused, and is enrolled once where the command is repeated", () => {
    const { world } = held;
    const words = ["emperor", "--label", "x", "--capability-file", "no.key"];
    expect(world.json("enroll", ...words).code).toBe(2);
    expect(existsSync(join(world.folder, "no.key"))).toBe(false);
    const again = ["worker", "--label", "twice", "--consumer", "script"];
    const id = ["--capability-file", "twice.key", "--command-id", newCommandId()];
    const first = world.json("enroll", ...again, ...id).value;
    expect(world.json("enroll", ...again, ...id).value).toEqual(first);
  });

  it("claims a task that others then cannot have, and finishes it by its fence alone", () => {
    const { world } = held;
    const [one, two] = [enroll(world, "first"), enroll(world, "second")];
    const task = addTask(world);
    const claim = world.json("attempt", "claim", task, "--capability", one);
    expect(claim.value).toMatchObject({ task, fence: 1, state: "running" });
    const renewed = world.run("attempt", "renew", task, "--fence", "1", "--capability", one).out;
    expect(renewed).toMatch(/^lease +1m, until \d{4}-[^\n]+ UTC\nalarm +after 15m without progress$/m);
    const loser = world.json("attempt", "claim", task, "--capability", two);
    expect([loser.code, loser.value.code, loser.value.fence]).toEqual([5, "task_held", 1]);
    expect(loser.value.holder).toEqual(claim.value.actor);
    const finish = (fence: string, outcome: string, key: string) => {
      const env = { SWARM_GEN_CAPABILITY_FILE: join(world.folder, key) };
      const words = ["attempt", "finish", task, "--fence", fence, "--outcome", outcome];
      return world.runWith({ env }, ...words).code;
    };
    expect(finish("1", "failed", one)).toBe(0);
    world.run("task", "retry", task);
    expect(world.json("attempt", "claim", task, "--capability", two).value.fence).toBe(2);
    const stale = world.json("attempt", "renew", task, "--fence", "1", "--capability", one);
    expect([stale.code, stale.value.code]).toEqual([5, "stale_fence"]);
    expect(finish("2", "completed", two)).toBe(0);
    expect(world.json("task", "show", task).value).toMatchObject({ state: "completed" });
    expect(world.run("task", "show", task).out).toMatch(/^state +completed since /m);
  });

  it("may not do what is an operator's, and nobody may with another secret", () => {
    const { world } = held;
    const key = enroll(world, "third");
    const forbidden = world.json("task", "add", "T", "--brief", BRIEF, "--capability", key);
    expect([forbidden.code, forbidden.value.code]).toEqual([4, "forbidden"]);
    const gone = world.json("task", "ls", "--capability", "none.key");
    expect([gone.code, gone.value.code]).toEqual([4, "unauthorized"]);
    writeFileSync(join(world.folder, "made-up.key"), `sgk_${"ab".repeat(32)}\n`, { mode: 0o600 });
    const made = world.json("task", "ls", "--capability", "made-up.key");
    expect([made.code, made.value.code]).toEqual([4, "unauthorized"]);
  });
});

describe("the feed", () => {
  const held = withWorld();

  async function nextLine(child: ChildProcess, pattern: RegExp): Promise<string> {
    let text = "";
    while (!pattern.test(text)) text += String(((await once(child.stdout!, "data")) as [Buffer])[0]);
    return text;
  }

  it("is followed as lines of JSON, across a restart of the owner, until Ctrl+C, which is no error", async () => {
    const { world } = held;
    addTask(world, "before");
    const child = spawn(process.execPath, [MAIN, "events", "--follow", "--json"], {
      cwd: world.folder,
      env: world.env,
    });
    const ended = once(child, "exit");
    const first = await nextLine(child, /task\.added/);
    const events = first
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
    const restarted = nextLine(child, /task\.added/);
    expect(world.run("owner", "stop").code).toBe(0);
    const task = addTask(world, "after");
    expect(await restarted).toContain(task);
    child.kill("SIGINT");
    expect(await ended).toEqual([0, null]);
  }, 60_000);

  it("goes on after a number, for people one line an event", () => {
    const { value } = held.world.json("events", "--since", "1");
    const { events } = value as { events: { seq: number }[] };
    expect(events[0]?.seq).toBe(2);
    expect(held.world.run("events", "--since", "1").out).toMatch(
      /^ +2 {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}\w/,
    );
  });
});

describe("status", () => {
  const held = withWorld();

  it("is the same screen with the owner and without, and says which; without a ledger it is refused", () => {
    const { world } = held;
    expect(world.json("status")).toMatchObject({ code: 11, value: { code: "owner_unavailable" } });
    addTask(world);
    const { owner, ...running } = documented("scope-status", world.json("status").value);
    expect(world.run("status").out).toContain(
      `process ${(owner as { process: { pid: number } }).process.pid} for `,
    );
    world.run("owner", "stop");
    const before = globSync("state/**/*", { cwd: world.home }).toSorted();
    const stopped = documented("scope-status", world.json("status").value);
    expect(stopped).toMatchObject({ ...running, at: expect.any(String), owner: null });
    expect(world.run("status").out).toMatch(/^owner +does not run; all below is of /m);
    expect(globSync("state/**/*", { cwd: world.home }).toSorted()).toEqual(before);
  });
});

describe("the ledger as a file", () => {
  const held = withWorld();

  it("is told, checked and backed up with the owner and without", () => {
    const { world } = held;
    expect(world.json("ledger", "info")).toMatchObject({ code: 3, value: { code: "not_found" } });
    addTask(world);
    for (const [ownerRuns, file] of [
      [true, "running.sqlite"],
      [false, "stopped.sqlite"],
    ] as const) {
      for (const words of [["info"], ["check"], ["backup", file]]) {
        const { code, value } = world.json("ledger", ...words);
        expect(code).toBe(0);
        expect(documented(`ledger-${words[0]}`, value)).toMatchObject({ ownerRuns });
      }
      expect(statSync(join(world.folder, file)).mode & 0o777).toBe(0o600);
      world.run("owner", "stop");
    }
    expect(world.run("ledger", "info").out).toMatch(/^tasks +1$/m);
    expect(world.json("ledger", "backup", "running.sqlite").value.code).toBe("wrong_state");
  });

  it("is replaced by a backup only by --apply, with the owner stopped, and what is lost is told", () => {
    const { world } = held;
    const task = addTask(world, "Lost");
    expect(world.json("ledger", "restore", "running.sqlite").value.code).toBe("wrong_state");
    world.run("owner", "stop");
    const plan = world.json("ledger", "restore", "running.sqlite").value;
    expect(documented("ledger-restore", plan)).toMatchObject({
      applied: false,
      lost: { tasks: { count: 1, first: [task] } },
      keptAt: null,
    });
    expect(world.run("ledger", "restore", "running.sqlite").out).toContain("not applied; --apply does it");
    const done = world.run("ledger", "restore", "running.sqlite", "--apply");
    expect([done.code, done.out]).toEqual([0, expect.stringContaining(`tasks `)]);
    expect(world.json("task", "show", task).value.code).toBe("owner_unavailable");
    world.run("owner", "start");
    expect(world.json("task", "show", task).value.code).toBe("not_found");
  });
});

describe("the owner's own commands", () => {
  const held = withWorld();

  it("tell of a project that was never started, and start nothing", () => {
    const { world } = held;
    expect(world.json("owner", "status").value).toMatchObject({ state: "none", owner: null });
    expect(world.json("owner", "stop").value).toMatchObject({ stopped: false, pid: null });
    expect(world.json("owner", "logs").code).toBe(3);
    expect(existsSync(join(world.home, "state"))).toBe(false);
  });

  it("start one, find it, refuse a second in the foreground, and stop it", () => {
    const { world } = held;
    const started = world.json("owner", "start").value;
    expect(started).toMatchObject({ started: true, root: world.folder, profile: "default" });
    expect(world.json("owner", "start").value).toMatchObject({ started: false, owner: started.owner });
    expect(world.json("owner", "status").value).toMatchObject({ state: "running", owner: started.owner });
    expect(world.json("owner", "run")).toMatchObject({ code: 5, value: { code: "wrong_state" } });
    const { pid } = (started.owner as { process: { pid: number } }).process;
    expect(world.json("owner", "stop").value).toMatchObject({ stopped: true, pid });
    expect(world.json("owner", "status").value).toMatchObject({ state: "stopped", owner: null });
    expect(world.run("owner", "logs").out).toMatch(/^\{.*\}\n/);
  });

  it("is one in the foreground that a signal ends", async () => {
    const { world } = held;
    const child = spawn(process.execPath, [MAIN, "owner", "run"], { cwd: world.folder, env: world.env });
    const ended = once(child, "exit");
    while (world.json("owner", "status").value.state !== "running");
    expect(world.json("owner", "status").value).toMatchObject({ owner: { process: { pid: child.pid } } });
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  }, 60_000);
});
