/**
 * How the tests run: one project for each kind, one folder for each project.
 *
 * No retries: a test that passes on the second try hides a race. A test without an assertion
 * fails, and so does a project without a file (`test/pins/test-projects.test.ts`). Two workers,
 * since many tests start programs and machines that build have few cores. The folder for
 * temporary files is the system's.
 */
import { defineConfig } from "vitest/config";
import { SkippedTests } from "./test/report/skipped-tests.ts";

const MINUTE_MS = 60_000;

/** What a single test of each kind may take on a busy machine of two cores. */
const TEST_TIMEOUT_MS: Readonly<Record<string, number>> = {
  unit: MINUTE_MS / 2,
  property: 2 * MINUTE_MS,
  integration: 2 * MINUTE_MS,
  fault: 3 * MINUTE_MS,
  race: 4 * MINUTE_MS,
  sim: 4 * MINUTE_MS,
  pins: 2 * MINUTE_MS,
};

export default defineConfig({
  test: {
    maxWorkers: 2,
    pool: "forks",
    retry: 0,
    passWithNoTests: false,
    includeTaskLocation: true,
    reporters: [new SkippedTests(), "default"],
    projects: Object.entries(TEST_TIMEOUT_MS).map(([name, testTimeout]) => ({
      extends: true,
      test: {
        name,
        include: [`test/${name}/**/*.test.ts`],
        setupFiles: name === "property" ? ["test/property/seed.ts"] : [],
        testTimeout,
        hookTimeout: 2 * MINUTE_MS,
        expect: { requireAssertions: true },
        allowOnly: false,
      },
    })),
  },
});
