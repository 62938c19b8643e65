/**
 * The owner's program: `node main.js --root DIR --profile NAME --state DIR --store DIR
 * [--tcp-port N] [--ready-fd N]`.
 *
 * Builds the real clock, ids, timers and store, and runs one owner until SIGTERM, SIGINT or the
 * API ends it. Whether it serves, or why not, is one line of JSON on the file descriptor that
 * `--ready-fd` names; without one, a sentence on stderr.
 */
import { existsSync, fstatSync, readFileSync, realpathSync, writeSync } from "node:fs";
import { parseArgs } from "node:util";
import { createSystemProcesses } from "../census/index.ts";
import { CodedError } from "../kernel/errors.ts";
import { noFailpoints } from "../kernel/failpoints.ts";
import type { Timers } from "../kernel/timers.ts";
import { openStore } from "../operations/open-store.ts";
import { nameScope } from "../operations/scope/scope-layout.ts";
import { codedOf, problemOf } from "./api/problem.ts";
import type { OwnerDeps } from "./owner-deps.ts";
import { runOwner } from "./run-owner.ts";

// Before anything is made: what an owner makes is its user's alone from the moment it exists.
process.umask(0o077);
process.title = "swarm-gen owner";

const { values: flags } = parseArgs({
  options: {
    root: { type: "string" },
    profile: { type: "string" },
    state: { type: "string" },
    store: { type: "string" },
    "tcp-port": { type: "string" },
    "ready-fd": { type: "string" },
  },
});

await main();

async function main(): Promise<void> {
  try {
    const owner = await runOwner(realDeps());
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      process.on(signal, () => void owner.stop(signal));
    }
    report({ ready: true, owner: owner.descriptor() }, `Serving at ${owner.socket}; Ctrl+C ends it.`);
    await owner.ended;
    process.exit(0);
  } catch (error) {
    const coded = codedOf(error);
    if (coded !== error) process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    report(
      { ready: false, problem: problemOf(coded) },
      `error[${coded.code}]: ${coded.message}\nhint: ${coded.hint}`,
    );
    process.exit(coded.exitCode);
  }
}

function realDeps(): OwnerDeps {
  const { root, profile, state, store } = flags;
  if (root === undefined || profile === undefined || state === undefined || store === undefined) {
    throw new CodedError("invalid_input", "--root, --profile, --state and --store are needed.", {
      hint: "swarm-gen owner run and owner start give them.",
    });
  }
  const clock = { now: () => Date.now() };
  const ids = {
    hex: (bytes: number) => process.getBuiltinModule("node:crypto").randomBytes(bytes).toString("hex"),
  };
  const { pid, platform, env } = process;
  const uid = process.getuid?.() ?? -1;
  return {
    name: nameScope(root, profile),
    state,
    generation: generationOf(store),
    build: readVersion(),
    tcpPort: flags["tcp-port"] === undefined ? null : Number(flags["tcp-port"]),
    env,
    uid,
    process: createSystemProcesses({ platform, pid, uid }).self(),
    clock,
    ids,
    timers: realTimers(),
    absence: {
      wall: clock.now,
      monotonic: () => performance.now(),
      withSuspends: () => uptimeMs(platform),
    },
    defer: (next) => void setImmediate(next),
    failpoints: noFailpoints,
    openStore: () =>
      openStore({
        root: store,
        clock,
        ids,
        pid,
        uid,
        running: process,
        pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      }),
  };
}

function realTimers(): Timers {
  return {
    monotonicNow: () => performance.now(),
    after(ms, callback) {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
  };
}

/** Where this file stands says which generation it is of; what the starter believes does not count. */
function generationOf(store: string): string | null {
  // Node names a module by its real path, so the store is compared by its own.
  const generations = `${realpathOf(store)}/generations/`;
  const here = import.meta.filename;
  const rest = here.startsWith(generations) ? here.slice(generations.length) : "";
  return /^([0-9a-f]{64})\//.exec(rest)?.[1] ?? null;
}

function realpathOf(path: string): string {
  return existsSync(path) ? realpathSync.native(path) : path;
}

function readVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

/** Since the machine started, with the time that it slept. */
function uptimeMs(platform: NodeJS.Platform): number | null {
  if (platform !== "linux") return null;
  const [seconds] = readFileSync("/proc/uptime", "utf8").split(" ");
  return Number(seconds) * 1000;
}

function report(outcome: unknown, sentence: string): void {
  const fd = flags["ready-fd"];
  if (fd === undefined) {
    process.stderr.write(`${sentence}\n`);
    return;
  }
  try {
    fstatSync(Number(fd));
    writeSync(Number(fd), `${JSON.stringify(outcome)}\n`);
  } catch {
    // Whoever started it is gone; that it serves does not depend on them.
  }
}
