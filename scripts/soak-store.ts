/**
 * Many processes stage, pin, unpin, launch, activate, roll back, verify and collect on one store
 * at once; afterwards everything that survived must be whole and nothing may be left over.
 *
 *   node scripts/soak-store.ts [--seconds 60] [--processes 4] [--import-method hardlink|copy|reflink]
 *                              [--seed 1] [--folder PARENT]
 *
 * Without --import-method each is tried in turn. The last line gives the counts; the exit code is
 * 1 if anything went wrong.
 */
import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { ImportMethod } from "../src/store/stage/share-content.ts";
import { soak } from "../test/fixtures/soak.ts";
import { removeAll } from "../test/fixtures/store-world.ts";

const METHODS: readonly ImportMethod[] = ["hardlink", "copy", "reflink"];

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    processes: { type: "string", default: "4" },
    seed: { type: "string", default: "1" },
    "import-method": { type: "string" },
    folder: { type: "string", default: tmpdir() },
  },
});

const asked = METHODS.filter(
  (method) => values["import-method"] === undefined || values["import-method"] === method,
);
if (asked.length === 0) throw new Error(`--import-method is one of ${METHODS.join(", ")}`);
for (const importChoice of asked) {
  const folder = realpathSync(mkdtempSync(join(values.folder, "swarm-gen-soak-")));
  try {
    const [processes, seconds, seed] = [values.processes, values.seconds, values.seed].map(Number) as [
      number,
      number,
      number,
    ];
    const { failures, counts, importMethods, survivors } = await soak({
      folder,
      processes,
      seconds,
      importChoice,
      seed,
    });
    for (const failure of failures) process.stdout.write(`FAILED ${failure}\n`);
    if (failures.length > 0) process.exitCode = 1;
    const done = Object.entries(counts)
      .sort()
      .map(([act, times]) => `${times} ${act}`)
      .join(", ");
    const methods = Object.entries(importMethods)
      .map(([method, files]) => `${files} ${method}`)
      .join(", ");
    const verdict = failures.length === 0 ? "ok" : `${failures.length} failures`;
    process.stdout.write(
      `${importChoice}: ${verdict}, ${processes} processes, ${seconds} s, seed ${seed}: ${done}; ${survivors} generations left (${methods})\n`,
    );
  } finally {
    removeAll(folder);
  }
}
