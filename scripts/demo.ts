/**
 * The demonstration: stages this project's own runtime, makes it the current one, runs it from the
 * store, changes it, compares, goes back, hands out a task, and asks why things are kept.
 *
 *   usage   npm run demo [-- --keep]     --keep leaves the temporary home and says where it is
 *   exit    0 only if every command did what it is there for
 *
 * Each command is shown as it is run, by the built command line, in a home of its own in a
 * temporary folder; everything between is what the commands print.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const CHECKOUT = realpathSync(new URL("..", import.meta.url).pathname);

/** What is run, in order. `why` stands behind it as a comment of the shell. */
const STEPS: readonly { readonly command: string; readonly why: string }[] = [
  { command: "swarm-gen stage --activate", why: "this project's own runtime becomes a generation" },
  { command: "swarm-gen show @current", why: "what it is made of, and what keeps it" },
  { command: "swarm-gen ls", why: "all generations" },
  { command: "swarm-gen verify --all", why: "every byte is what the id says" },
  { command: "swarm-gen run @current cli --version", why: "from the store, on its own interpreter" },
  {
    command: 'cp -R bin dist generations package.json package-lock.json LICENSE README.md "$DEMO/changed"',
    why: "a copy of the project",
  },
  { command: 'echo "One more line." >> "$DEMO/changed/README.md"', why: "with a change" },
  {
    command: 'swarm-gen stage "$DEMO/changed" --activate',
    why: "the second generation shares what is equal",
  },
  { command: "swarm-gen diff @previous @current", why: "what the activation changed" },
  { command: "swarm-gen rollback", why: "back to the first" },
  { command: "swarm-gen history", why: "who made what current" },
  { command: "swarm-gen why @current", why: "what keeps it" },
  { command: "swarm-gen owner start", why: "the process that keeps this project's work, from the store too" },
  {
    command: `swarm-gen task add "Port the parser" --brief '{"objective":"Port it to the new grammar"}'`,
    why: "something to do",
  },
  {
    command: "swarm-gen task ls --json | grep -om1 't-[0-9a-f]*' > \"$DEMO/task\"",
    why: "its id, for the next commands",
  },
  {
    command:
      'swarm-gen enroll worker --label "a script" --consumer script --capability-file "$DEMO/worker.key"',
    why: "a worker, and the secret that proves it",
  },
  {
    command: 'swarm-gen attempt claim "$(cat "$DEMO/task")" --capability "$DEMO/worker.key"',
    why: "one caller wins, and holds the task by its fence",
  },
  {
    command:
      'swarm-gen attempt progress "$(cat "$DEMO/task")" --fence 1 --note "half of it" --capability "$DEMO/worker.key"',
    why: "this alone moves the deadline of the progress alarm",
  },
  {
    command:
      'swarm-gen attempt finish "$(cat "$DEMO/task")" --fence 1 --outcome completed --capability "$DEMO/worker.key"',
    why: "done",
  },
  { command: "swarm-gen status", why: "the project at a glance" },
  { command: "swarm-gen owner stop", why: "nothing is lost: the next command starts the next one" },
  { command: "swarm-gen store gc --dry-run", why: "what a collection would remove" },
  { command: "swarm-gen store info", why: "what the store takes" },
];

const keep = process.argv.includes("--keep");
const demo = realpathSync(mkdtempSync(join(tmpdir(), "swarm-gen-demo-")));
const home = join(demo, "home");
mkdirSync(join(demo, "changed"));

// An interrupt ends the command that runs; the loop then ends, and what was made is removed.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});

console.log(`$ export DEMO=${demo} SWARM_GEN_HOME=${home}`);
const failed = await firstFailure();
if (failed !== null) console.error(`\n"${failed.command}" ended with exit code ${failed.code}`);
// The owner of a demonstration that failed in between would outlive its home.
if (failed !== null) await run("swarm-gen owner stop > /dev/null 2>&1");
if (keep) {
  console.log(`\nKept: ${demo}\nRemove it with: chmod -R u+w ${demo} && rm -rf ${demo}`);
} else {
  // What is published is read-only, folders included.
  await run('chmod -R u+w "$DEMO" && rm -rf "$DEMO"');
}
if (failed === null) {
  console.log(`
That was a home of its own, ${keep ? "kept as you asked" : "removed again"}. Next, for good:

  bin/swarm-gen stage --activate     the same in your own home
  bin/swarm-gen show @current        what is active
  bin/swarm-gen --help               all commands; each has its own --help with examples`);
}
process.exitCode = failed === null ? 0 : 1;

async function firstFailure(): Promise<{ command: string; code: number } | null> {
  for (const { command, why } of STEPS) {
    console.log(`\n$ ${command}   # ${why}`);
    const code = await run(command);
    if (code !== 0) return { command, code };
  }
  return null;
}

/** Runs a line of shell in the checkout, with `swarm-gen` first on its PATH; gives its exit code. */
function run(command: string): Promise<number> {
  const child = spawn("/bin/sh", ["-c", command], {
    cwd: CHECKOUT,
    env: {
      ...process.env,
      DEMO: demo,
      SWARM_GEN_HOME: home,
      PATH: `${join(CHECKOUT, "bin")}:${process.env.PATH ?? ""}`,
    },
    stdio: ["ignore", "inherit", "inherit"],
  });
  return new Promise((resolve) => {
    child.on("close", (code) => resolve(code ?? 1));
  });
}
