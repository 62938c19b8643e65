/**
 * Promise: a loss of power at any moment of stage, import, activate, rollback, collection or
 * repair leaves a store in which every generation that has a row is whole, no content is trusted
 * that is not what its name says, and the next command works.
 *
 * A kill cannot show this, since what was written survives it in the page cache. So the run is
 * recorded, and every prefix of it is replayed with what was not flushed taken away.
 */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createStore } from "../../src/store/create-store.ts";
import { createLayout } from "../../src/store/layout.ts";
import type { ImportChoice } from "../../src/store/stage/share-content.ts";
import { type Prepared, SCENARIOS, type Scenario } from "../fixtures/crash-scenarios.ts";
import { expectRecovery } from "../fixtures/expect-recovery.ts";
import { fastParent, makeFastFolder } from "../fixtures/fast-folder.ts";
import { type Left, type LossModel, leftAfterPowerLoss } from "../fixtures/power-loss.ts";
import { quickDeps } from "../fixtures/quick-deps.ts";
import { createRecording, type JournalEntry } from "../fixtures/recording-file-system.ts";
import { perform } from "../fixtures/store-child.ts";
import { createStoreWorld, removeAll } from "../fixtures/store-world.ts";

const MODELS: readonly LossModel[] = ["killed", "data-lost", "all-lost", "some-lost"];
/** Only what writes contents differs by import method. */
const WRITES_CONTENTS = /^(stage|import|repair)/;
const CASES = Object.entries(SCENARIOS).flatMap(([name, scenario]) =>
  (["hardlink", "copy"] as const)
    .filter((importChoice) => importChoice === "hardlink" || WRITES_CONTENTS.test(name))
    .map((importChoice) => ({ name, importChoice, scenario })),
);

describe.each(CASES)("$name ($importChoice)", ({ importChoice, scenario }) => {
  test("survives a loss of power after every recorded operation", async () => {
    const world = await record(importChoice, scenario);
    const recovered = new Set<string>();
    try {
      for (let length = world.begin; length <= world.journal.length; length += 1) {
        for (const model of MODELS) {
          // Many losses leave the same; one recovery stands for all of them.
          const left = leftAfterPowerLoss(world.journal, { length, model, seed: length });
          if (recovered.has(left.fingerprint)) continue;
          recovered.add(left.fingerprint);
          const last = world.journal[length - 1]?.kind ?? "nothing";
          const what = `${model}, ${length} of ${world.journal.length}, after ${last}`;
          await recover(world, { left, what, importChoice, mayLackBlobs: model !== "killed" });
        }
      }
      expect(recovered.size).toBeGreaterThan(1);
    } finally {
      world.remove();
    }
  });
});

interface Recorded {
  readonly folder: string;
  readonly prepared: Prepared;
  readonly journal: readonly JournalEntry[];
  /** How much of the journal is older than the step. */
  readonly begin: number;
  remove(): void;
}

async function record(importChoice: ImportChoice, scenario: Scenario): Promise<Recorded> {
  const folder = makeFastFolder();
  const root = join(folder, "recorded");
  const recording = createRecording(root, createLayout(root).index);
  const { processes } = quickDeps(root);
  // The recorded process ran before the loss of power, so in another boot than what recovers.
  const earlier = { ...processes, self: () => ({ ...processes.self(), boot: "an-earlier-boot/pids/1" }) };
  const world = createStoreWorld(
    { root, fs: recording.fs, importChoice, threads: false, processes: earlier },
    fastParent(),
  );
  const prepared = await scenario(world);
  recording.settleAll();
  const begin = recording.journal.length;
  await perform(world.open(), prepared.step);
  recording.settle();
  recording.close();
  const remove = () => {
    world.remove();
    removeAll(folder);
  };
  return { folder, prepared, journal: recording.journal, begin, remove };
}

interface Recovering {
  readonly left: Left;
  readonly what: string;
  readonly importChoice: ImportChoice;
  readonly mayLackBlobs: boolean;
}

async function recover({ folder, prepared }: Recorded, recovering: Recovering): Promise<void> {
  const { left, what, importChoice, mayLackBlobs } = recovering;
  const root = join(folder, "left");
  const layout = createLayout(root);
  left.write(root, layout.index);
  const store = createStore({ ...quickDeps(root), importChoice });
  try {
    await expectRecovery({ store, layout, prepared, what, mayLackBlobs });
  } finally {
    store.close();
    removeAll(root);
  }
}
