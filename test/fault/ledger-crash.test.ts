/**
 * Promise: whenever the owner's process dies, what was acknowledged is there, nothing is applied
 * twice, and every command gets the answer that it got, if it got one.
 *
 * A real `kill -9` ends a real process at each failpoint and at any other time. Hundreds of further
 * deaths are played in this process: what a killed process leaves is what its files hold at that
 * moment, so a copy of file and log, taken in the midst of a command, is such a leftover.
 */
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type Answer, applyBatch } from "../../src/coordinator/commit/apply-batch.ts";
import { createStatements, type Writing } from "../../src/coordinator/commit/statements.ts";
import { failpointsBelow } from "../fixtures/crash-failpoints.ts";
import type { CrashRequest } from "../fixtures/ledger-crash-child.ts";
import { makeLedgerFolder } from "../fixtures/ledger-folder.ts";
import {
  createLoadedLedger,
  faultsAfterCrash,
  heard,
  LOAD_NOW,
  loadCommand,
  randomIds,
} from "../fixtures/ledger-load.ts";

const POINTS = ["batch:begun", "batch:applied", "batch:committed"] as const;
const CHILD = fileURLToPath(new URL("../fixtures/ledger-crash-child.ts", import.meta.url));

test("the failpoints that are killed at are all that the coordinator has", () => {
  expect(failpointsBelow("src/coordinator")).toEqual([...POINTS].sort());
});

/** Runs the child to its death; what it heard is added to `acknowledged`. */
async function runToDeath(
  request: CrashRequest,
  acknowledged: Map<number, unknown>,
  killAfter = Number.POSITIVE_INFINITY,
): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, [CHILD, JSON.stringify(request)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const died = new Promise<NodeJS.Signals | null>((resolve) =>
    child.on("close", (_code, signal) => resolve(signal)),
  );
  let lines = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [number, answer] = [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)];
    acknowledged.set(Number(number), JSON.parse(answer));
    lines += 1;
    if (lines === killAfter) child.kill("SIGKILL");
  }
  return died;
}

const COMMANDS_A_LIFE = 60;

describe.each(POINTS)("kill -9 at %s", (name) => {
  test("loses nothing that was acknowledged and doubles nothing, life after life of one ledger", async () => {
    const { path } = makeLedgerFolder();
    createLoadedLedger(path).close();
    const acknowledged = new Map<number, unknown>();
    for (let life = 1; life <= 10; life += 1) {
      const first = (life - 1) * COMMANDS_A_LIFE + 1;
      const request = { path, kill: { name, hit: life }, first, last: life * COMMANDS_A_LIFE };
      expect(await runToDeath(request, acknowledged), `life ${life}`).toBe("SIGKILL");
      expect(faultsAfterCrash(path, acknowledged, request.last), `life ${life}`).toEqual([]);
    }
  });
});

test("kill -9 from outside, after any number of answers, loses nothing and doubles nothing", async () => {
  for (let answers = 1; answers <= 30; answers += 3) {
    const { path } = makeLedgerFolder();
    createLoadedLedger(path).close();
    const acknowledged = new Map<number, unknown>();
    const request = { path, kill: null, first: 1, last: 400 };
    expect(await runToDeath(request, acknowledged, answers)).toBe("SIGKILL");
    expect(acknowledged.size).toBeGreaterThanOrEqual(answers);
    expect(faultsAfterCrash(path, acknowledged, request.last), `after ${answers}`).toEqual([]);
  }
});

test("a ledger left behind before any single statement of a batch is whole", () => {
  const { path, folder } = makeLedgerFolder();
  const db = createLoadedLedger(path);
  const acknowledged = new Map<number, unknown>();
  const images: { path: string; acknowledged: Map<number, unknown> }[] = [];
  const takeImage = () => {
    const image = join(folder, `image-${images.length}`);
    mkdirSync(image);
    for (const end of ["", "-wal"])
      if (existsSync(path + end)) copyFileSync(path + end, join(image, `ledger.sqlite${end}`));
    images.push({ path: join(image, "ledger.sqlite"), acknowledged: new Map(acknowledged) });
  };
  const plain = createStatements(db);
  const before = <Arguments extends unknown[], Result>(act: (...args: Arguments) => Result) => {
    return (...args: Arguments) => {
      takeImage();
      return act(...args);
    };
  };
  const statements = { get: before(plain.get), all: before(plain.all), run: before(plain.run) } as Writing;
  const deps = { db, statements, ids: randomIds, failpoints: { hit: takeImage } };
  const last = 36;
  for (let number = 1; number <= last; number += 3) {
    const numbers = [number, number + 1, number + 2];
    const { answers } = applyBatch(
      deps,
      numbers.map((one) => loadCommand(one)),
      LOAD_NOW,
    );
    for (const [index, one] of numbers.entries()) acknowledged.set(one, heard(answers[index] as Answer));
  }
  db.close();
  expect(images.length).toBeGreaterThan(100);
  const faulty = images.filter((image) => faultsAfterCrash(image.path, image.acknowledged, last).length > 0);
  expect(faulty).toEqual([]);
});
