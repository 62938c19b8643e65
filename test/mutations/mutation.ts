/**
 * A mutation is a small harm that somebody could do to the code by accident, and the tests that must
 * be red for it. `scripts/mutate-ledger.ts` does each to a copy of the checkout.
 */
export interface Mutation {
  /** What goes wrong, as a claim that a test denies. */
  readonly name: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  /** Each of them must have a test that fails. */
  readonly tests: readonly string[];
}

export const BRIEF_SIMULATION = "test/sim/ledger-simulation-brief.test.ts";
