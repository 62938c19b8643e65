/**
 * A reporter for Vitest that lists each skipped test with its reason after the run.
 *
 * A skip is a claim that nobody checked; a bare count hides which. The reason is what the test
 * gave to `context.skip(reason)`, else the condition in its own `runIf(…)` or `skipIf(…)`.
 */
import { readFileSync } from "node:fs";
import type { Reporter, TestCase, TestModule } from "vitest/node";

// How far above a test the `describe.runIf(…)` that skips it may stand is not bounded; the search
// goes from the test upwards and takes the nearest.
const CONDITION = /\b(runIf|skipIf)\((.+?)\)\(/;

// `vitest -t` leaves out tests of other names; who asked for that knows.
const LEFT_OUT_BY_NAME = "left out by its name";

export class SkippedTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules
      .flatMap((module) => [...module.children.allTests("skipped")])
      .filter((test) => reasonOf(test) !== LEFT_OUT_BY_NAME);
    if (skipped.length === 0) return;
    const lines = skipped.map(
      (test) => `  ${test.module.relativeModuleId}: ${test.fullName}: ${reasonOf(test)}`,
    );
    process.stdout.write(`\nNot run here (${skipped.length}):\n${lines.join("\n")}\n\n`);
  }
}

function reasonOf(test: TestCase): string {
  const result = test.result();
  if (result.state === "skipped" && result.note !== undefined) return result.note;
  const lines = readFileSync(test.module.moduleId, "utf8").split("\n");
  for (let index = (test.location?.line ?? 0) - 1; index >= 0; index -= 1) {
    const found = CONDITION.exec(lines[index] ?? "");
    if (found !== null) return found[1] === "runIf" ? `runs only if ${found[2]}` : `skipped if ${found[2]}`;
  }
  return LEFT_OUT_BY_NAME;
}
