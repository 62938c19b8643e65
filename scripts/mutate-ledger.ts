/**
 * Harms the ledger on purpose, one mutation at a time, in copies of the checkout, and demands that
 * each test file which the mutation names is red: whoever weakens a test hears of it here.
 *
 *   node scripts/mutate-ledger.ts [--only PART-OF-A-NAME] [--at-once 2]
 *
 * Before that, the same tests are green in an unharmed copy. A mutation survives if one of its test
 * files stays green; it is stale if what it looks for does not stand in its file exactly once. Both
 * are exit code 1.
 */
import { execFile } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { LEDGER_MUTATIONS } from "../test/mutations/ledger-mutations.ts";
import type { Mutation } from "../test/mutations/mutation.ts";

const ROOT = new URL("..", import.meta.url).pathname;
const COPIED = ["src", "test", "scripts", "package.json", "tsconfig.json", "vitest.config.ts"];
const MOST_MS = 120_000;

const { values } = parseArgs({
  options: { only: { type: "string", default: "" }, "at-once": { type: "string", default: "2" } },
});
const say = (line: string) => process.stdout.write(`${line}\n`);

/** Test file → the name of the first test in it that failed; null for none. */
type Verdicts = ReadonlyMap<string, string | null>;

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** A copy of the checkout that may be harmed. */
function copyCheckout(folder: string): void {
  mkdirSync(folder);
  for (const name of COPIED) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
}

function runTests(folder: string, tests: readonly string[]): Promise<Verdicts> {
  const output = join(folder, "report.json");
  rmSync(output, { force: true });
  const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
  // Where one file is asked, its first failure says all.
  const bail = tests.length === 1 ? ["--bail=1"] : [];
  const flags = ["run", "--maxWorkers=1", "--reporter=json", `--outputFile=${output}`, ...bail, ...tests];
  return new Promise((resolve, reject) => {
    const options = { cwd: folder, timeout: MOST_MS, killSignal: "SIGKILL" } as const;
    execFile(process.execPath, [vitest, ...flags], options, (error, stdout, stderr) => {
      try {
        resolve(verdictsOf(folder, JSON.parse(readFileSync(output, "utf8")) as Report));
      } catch {
        reject(new Error(`the tests gave no report: ${error?.message}\n${stdout}\n${stderr}`));
      }
    });
  });
}

function verdictsOf(folder: string, { testResults }: Report): Verdicts {
  return new Map(
    testResults.map(({ name, assertionResults }) => [
      relative(folder, name),
      assertionResults.find(({ status }) => status === "failed")?.fullName ?? null,
    ]),
  );
}

interface Trial {
  readonly mutation: Mutation;
  readonly verdict: "caught" | "survived" | "stale";
  readonly detail: string;
  readonly seconds: number;
}

async function tryOut(folder: string, mutation: Mutation): Promise<Trial> {
  const began = performance.now();
  const path = join(folder, mutation.file);
  const whole = readFileSync(path, "utf8");
  const parts = whole.split(mutation.find);
  const done = (verdict: Trial["verdict"], detail: string): Trial => {
    return { mutation, verdict, detail, seconds: (performance.now() - began) / 1000 };
  };
  if (parts.length !== 2) return done("stale", `stands ${parts.length - 1} times in ${mutation.file}`);
  writeFileSync(path, parts.join(mutation.replace));
  try {
    const verdicts = await runTests(folder, mutation.tests).catch((error: Error) => error);
    if (verdicts instanceof Error) return done("survived", verdicts.message);
    const green = mutation.tests.filter((test) => (verdicts.get(test) ?? null) === null);
    if (green.length > 0) return done("survived", `${green.join(", ")} did not notice`);
    return done("caught", [...verdicts.values()].join("; "));
  } finally {
    writeFileSync(path, whole);
  }
}

async function main(): Promise<void> {
  const chosen = LEDGER_MUTATIONS.filter(({ name }) => name.includes(values.only));
  const world = realpathSync(mkdtempSync(join(tmpdir(), "swarm-gen-mutations-")));
  try {
    const folders = Array.from({ length: Number(values["at-once"]) }, (_, index) =>
      join(world, `copy-${index}`),
    );
    for (const folder of folders) copyCheckout(folder);
    const tests = [...new Set(chosen.flatMap((mutation) => mutation.tests))];
    const unharmed = await runTests(folders[0] ?? world, tests);
    const red = tests.filter((test) => unharmed.get(test) !== null);
    if (red.length > 0) throw new Error(`red without any harm, or not run: ${red.join(", ")}`);
    const left = [...chosen];
    const trials: Trial[] = [];
    await Promise.all(
      folders.map(async (folder) => {
        for (let mutation = left.shift(); mutation !== undefined; mutation = left.shift()) {
          const trial = await tryOut(folder, mutation);
          trials.push(trial);
          say(
            `${trial.verdict.padEnd(8)} ${trial.seconds.toFixed(1).padStart(5)} s  ${mutation.name}\n${" ".repeat(18)}${trial.detail.slice(0, 160)}`,
          );
        }
      }),
    );
    const caught = trials.filter(({ verdict }) => verdict === "caught").length;
    say(`${caught} of ${chosen.length} mutations caught`);
    if (caught < chosen.length) process.exitCode = 1;
  } finally {
    rmSync(world, { recursive: true });
  }
}

await main();
