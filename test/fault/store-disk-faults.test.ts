/**
 * Promise: whatever the disk answers to any single call of any step, the step either comes to its
 * end by another way or fails with a typed error; nothing visible has changed but wholly, earlier
 * generations are fine, and the next command works (T7).
 */
import { describe, expect, test } from "vitest";
import { CodedError } from "../../src/kernel/errors.ts";
import { SCENARIOS, type Scenario } from "../fixtures/crash-scenarios.ts";
import { expectRecovery } from "../fixtures/expect-recovery.ts";
import { createFailingFileSystem, type Fault, type Operation } from "../fixtures/failing-file-system.ts";
import { fastParent } from "../fixtures/fast-folder.ts";
import { quickDeps } from "../fixtures/quick-deps.ts";
import { perform } from "../fixtures/store-child.ts";
import { createStoreWorld, type StoreWorld } from "../fixtures/store-world.ts";

/** What each kind of call may answer. */
const CODES: Readonly<Partial<Record<Operation, readonly string[]>>> = {
  chmodSync: ["EROFS", "EIO"],
  copyFileSync: ["ENOSPC", "EIO", "EMFILE"],
  fchmodSync: ["EROFS", "EIO"],
  flush: ["EIO"],
  fstatSync: ["EIO"],
  fsyncSync: ["EIO", "ENOSPC"],
  futimesSync: ["EROFS", "EIO"],
  linkSync: ["EXDEV", "EMLINK", "EPERM", "ENOSPC", "EROFS"],
  lstatSync: ["EIO"],
  mkdirSync: ["ENOSPC", "EROFS", "EMLINK"],
  openSync: ["ENOSPC", "EROFS", "EMFILE"],
  readFileSync: ["EIO", "EMFILE"],
  readSync: ["EIO"],
  readdirSync: ["EIO", "EMFILE"],
  readlinkSync: ["EIO"],
  renameSync: ["ENOSPC", "EROFS", "EXDEV"],
  rmdirSync: ["EIO"],
  symlinkSync: ["ENOSPC", "EROFS"],
  unlinkSync: ["EIO", "EROFS"],
  utimesSync: ["EROFS"],
  writeSync: ["ENOSPC", "EDQUOT", "EIO"],
};
/** Codes after which another way is taken, so that the step must come to its end. */
const FALLS_BACK = new Set(["linkSync EXDEV", "linkSync EMLINK", "linkSync EPERM"]);
const READS = new Set<Operation>(["readFileSync", "openSync", "fstatSync", "readSync"]);
const TYPED: Readonly<Record<string, string>> = { ENOSPC: "disk_full", EDQUOT: "disk_full" };

const CASES = Object.entries(SCENARIOS).flatMap(([name, scenario]) =>
  (["hardlink", "copy"] as const)
    .filter(
      (importChoice) =>
        importChoice === "hardlink" || name === "stage beside a generation that shares most content",
    )
    .map((importChoice) => ({ name, importChoice, scenario })),
);

describe.each(CASES)("$name ($importChoice)", ({ scenario, importChoice }) => {
  test("every call may fail once, with every code", async () => {
    const calls = await countCalls(scenario, importChoice);
    const complaints: string[] = [];
    for (const [operation, count] of calls) {
      for (const code of CODES[operation] ?? []) {
        for (const call of callsOf(count))
          await failAndRecover(scenario, importChoice, { operation, call, code }).catch((error: unknown) => {
            complaints.push(error instanceof Error ? error.message.slice(0, 300) : String(error));
          });
      }
    }
    expect([...calls.keys()]).toContain("lstatSync");
    expect(complaints).toEqual([]);
  });
});

/** Every call, or where a loop makes hundreds, a dozen of them from first to last. */
function callsOf(count: number): number[] {
  const stride = Math.ceil(count / 12);
  const calls = Array.from({ length: count }, (_, index) => index + 1);
  return calls.filter((call) => (call - 1) % stride === 0 || call === count);
}

type Choice = "hardlink" | "copy";

async function inWorld(importChoice: Choice, act: (world: StoreWorld) => Promise<void>) {
  const { fs, processes } = quickDeps("");
  const world = createStoreWorld({ importChoice, threads: false, fs, processes }, fastParent());
  try {
    await act(world);
  } finally {
    world.remove();
  }
}

async function countCalls(scenario: Scenario, importChoice: Choice) {
  const counts: [Operation, number][] = [];
  await inWorld(importChoice, async (world) => {
    const { step } = await scenario(world);
    const { fs, calls } = createFailingFileSystem(world.deps.fs, null);
    await perform(world.open({ fs }), step);
    counts.push(...calls);
  });
  return new Map(counts);
}

async function failAndRecover(scenario: Scenario, importChoice: Choice, fault: Fault) {
  const what = `${fault.operation} #${fault.call} ${fault.code}`;
  await inWorld(importChoice, async (world) => {
    const prepared = await scenario(world);
    const { fs } = createFailingFileSystem(world.deps.fs, fault);
    const failure = await perform(world.open({ fs }), prepared.step).then(
      () => null,
      (error: unknown) => error,
    );
    if (FALLS_BACK.has(`${fault.operation} ${fault.code}`)) expect(failure, what).toBeNull();
    if (failure !== null) {
      expect(failure, what).toBeInstanceOf(CodedError);
      const typed = [TYPED[fault.code] ?? "store_unavailable"];
      // To a repair, what cannot be read is one more thing that is damaged.
      if (prepared.damaged !== undefined && READS.has(fault.operation)) typed.push("generation_damaged");
      expect(typed, what).toContain((failure as CodedError).code);
    }
    await expectRecovery({ store: world.open(), layout: world.layout, prepared, what });
  });
}
