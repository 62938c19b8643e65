/**
 * Promise: processes that stage, pin, launch, activate, roll back, verify and collect at once never
 * fail, never use a generation that is gone, and leave only whole generations (T4). Longer runs:
 * `node scripts/soak-store.ts`.
 */
import { describe, expect, test } from "vitest";
import { fastParent, makeFastFolder } from "../fixtures/fast-folder.ts";
import { soak } from "../fixtures/soak.ts";
import { removeAll } from "../fixtures/store-world.ts";

const SECONDS = 8;
const PROCESSES = 4;

describe.each(["hardlink", "copy"] as const)("import method %s", (importChoice) => {
  test(`${PROCESSES} processes at once for ${SECONDS} s break nothing`, async () => {
    const folder = makeFastFolder();
    try {
      const result = await soak({ folder, processes: PROCESSES, seconds: SECONDS, importChoice, seed: 11 });
      expect(result.failures, `in ${fastParent()}`).toEqual([]);
      // Otherwise it proves nothing: there was no collection of what others wanted.
      expect(Object.keys(result.counts)).toEqual(
        expect.arrayContaining(["activated", "collected", "launched", "pinned", "staged new", "verified"]),
      );
      expect(result.importMethods[importChoice]).toBeGreaterThan(0);
    } finally {
      removeAll(folder);
    }
  });
});
