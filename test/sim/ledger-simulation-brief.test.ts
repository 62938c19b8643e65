/**
 * Promise: as `ledger-simulation.test.ts`, for a few seeds that take seconds. Every mutation that the
 * simulation must catch is tried on these (`test/mutations`).
 */
import { expect, test } from "vitest";
import { simulate } from "../fixtures/sim/simulate.ts";

test.each([1, 2, 3, 4, 5, 6])("fifteen hundred steps of seed %i break no invariant", async (seed) => {
  const { breach } = await simulate({ seed, steps: 1_500 });
  expect(breach).toBeNull();
});
