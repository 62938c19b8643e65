/** Promise: of those who take owner.lock together exactly one gets it, and its death gives it back. */
import { spawn } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { takeOwnerLock } from "../../src/coordinator/ledger/owner-lock.ts";
import { makeLedgerFolder } from "../fixtures/ledger-folder.ts";

const CHILD = fileURLToPath(new URL("../fixtures/lock-child.ts", import.meta.url));

/** A process that takes the lock when it is told to, and then holds it until it is killed. */
function startTaker(path: string) {
  const child = spawn(process.execPath, [CHILD, path], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const hear = async () => (await lines.next()).value as string;
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  return {
    hear,
    take: () => void child.stdin.write("take\n"),
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

test("of eight processes that take it at one instant, one gets it, round after round, each after a kill -9", async () => {
  const { folder } = makeLedgerFolder();
  const path = join(folder, "owner.lock");
  for (let round = 1; round <= 4; round += 1) {
    const takers = Array.from({ length: 8 }, () => startTaker(path));
    await Promise.all(takers.map(({ hear }) => hear()));
    for (const { take } of takers) take();
    const answers = await Promise.all(takers.map(({ hear }) => hear()));
    expect(answers.toSorted(), `round ${round}`).toEqual([...Array<string>(7).fill("held"), "taken"]);
    await Promise.all(takers.map(({ kill }) => kill()));
  }
  expect(readdirSync(folder)).toEqual(["owner.lock"]);
  expect(statSync(path)).toMatchObject({ size: 0, mode: 0o100600 });
});

test("one process cannot take it twice, and can once it has released it", () => {
  const { folder } = makeLedgerFolder();
  const path = join(folder, "owner.lock");
  const first = takeOwnerLock(path);
  expect(first).not.toBe("held");
  expect(takeOwnerLock(path, { waitMs: 10 })).toBe("held");
  if (first !== "held") first.release();
  const second = takeOwnerLock(path);
  expect(second).not.toBe("held");
  if (second !== "held") second.release();
});
