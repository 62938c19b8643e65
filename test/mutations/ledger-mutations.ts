/** Every harm to the ledger that some test must catch. */
import { COMMIT_MUTATIONS } from "./commit-mutations.ts";
import { MAIL_MUTATIONS } from "./mail-mutations.ts";
import type { Mutation } from "./mutation.ts";
import { WORK_MUTATIONS } from "./work-mutations.ts";

export const LEDGER_MUTATIONS: readonly Mutation[] = [
  ...COMMIT_MUTATIONS,
  ...WORK_MUTATIONS,
  ...MAIL_MUTATIONS,
];
