/** The lock of a build: given back, taken over, lost. */
import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CodedError } from "../../src/kernel/errors.ts";
import { takeBuildLock } from "../../src/store/source/build-lock.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "swarm-gen-lock-"));
  path = join(folder, "key");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

let pauses = 0;
const take = (more: Partial<Parameters<typeof takeBuildLock>[1]> = {}, pause = async () => {}) =>
  takeBuildLock(
    {
      pause: async () => {
        pauses += 1;
        await pause();
      },
    },
    { path, waitMs: 1_000, onWait: () => {}, ...more },
  );

async function codeOf(taking: Promise<unknown>): Promise<string> {
  return taking.then(
    () => "taken",
    (error) => (error instanceof CodedError ? error.code : String(error)),
  );
}

test("a second taker waits, is told once, and gets it when the first gives it back", async () => {
  const first = await take();
  let told = 0;
  let waited = 0;
  const onWait = () => {
    told += 1;
  };
  const second = await take({ onWait }, async () => {
    waited += 1;
    if (waited === 3) await first.release();
  });
  expect([told, waited]).toEqual([1, 3]);
  await second.release();
  expect(existsSync(`${path}.lock`)).toBe(false);
});

test("a wait that is longer than its bound ends in overloaded, and the holder keeps it", async () => {
  const first = await take();
  pauses = 0;
  expect(await codeOf(take({ waitMs: 500 }))).toBe("overloaded");
  expect(pauses).toBe(5);
  expect(first.signal.aborted).toBe(false);
  await first.release();
});

test("a lock whose holder was killed long ago is taken over at once", async () => {
  mkdirSync(`${path}.lock`);
  utimesSync(`${path}.lock`, 1_000_000_000, 1_000_000_000);
  pauses = 0;
  const lock = await take();
  expect(pauses).toBe(0);
  await lock.release();
});

test("a lost lock aborts with a typed error that may be tried again, and throws nowhere", async () => {
  const lock = await take({ staleMs: 2_000 });
  const lost = new Promise((resolve) => lock.signal.addEventListener("abort", resolve));
  rmdirSync(`${path}.lock`);
  await lost;
  const reason = lock.signal.reason as CodedError;
  expect(reason).toBeInstanceOf(CodedError);
  expect(reason.toJSON()).toMatchObject({ code: "build_failed", retryable: true, changed: false });
  await lock.release();
  await lock.release();
});
