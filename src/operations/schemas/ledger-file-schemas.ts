/** Schemas of what the commands on a ledger as a file, and `status`, print. */
import { z } from "zod";
import type { LedgerBackedUp, LedgerChecked, LedgerInfo, LedgerRestored } from "../ledger/ledger-files.ts";

const count = z.int().min(0);
const instant = z.iso.datetime().describe("ISO 8601, UTC");

const scope = { scope: z.string(), root: z.string(), profile: z.string() };
const about = {
  ...scope,
  path: z.string(),
  instance: z.string(),
  schema: z.string().describe("major and minor"),
  ownerRuns: z.boolean().describe("false: this was read from a private copy"),
};

const info = z.strictObject({
  ...about,
  createdAt: instant,
  sizeBytes: count,
  logBytes: count.describe("committed, not yet folded into the file"),
  counts: z.strictObject({
    actors: count,
    tasks: count,
    unsettledTasks: count,
    attempts: count,
    launches: count,
    liveLaunches: count,
    messages: count,
    unsettledDeliveries: count,
    openAlarms: count,
    commands: count,
    events: count,
  }),
  oldestTaskAt: instant.nullable(),
  newestTaskAt: instant.nullable(),
  oldestEventAt: instant.nullable(),
  newestEventAt: instant.nullable(),
  newestEvent: count,
  servedAt: instant.describe("when an owner last said so"),
}) satisfies z.ZodType<LedgerInfo>;

const check = z.strictObject({
  ...about,
  ok: z.boolean(),
  faults: z.array(
    z.strictObject({
      kind: z.string().describe("integrity, foreign key, or the invariant that is broken"),
      detail: z.string(),
      subjects: z.array(z.string()),
    }),
  ),
}) satisfies z.ZodType<LedgerChecked>;

const backup = z.strictObject({
  ...about,
  file: z.string(),
  sizeBytes: count,
  newestEvent: count,
  at: instant,
}) satisfies z.ZodType<LedgerBackedUp>;

const lost = z.strictObject({ count, first: z.array(z.string()) });

const restore = z.strictObject({
  ...scope,
  path: z.string(),
  applied: z.boolean(),
  backup: z.string(),
  instance: z.string(),
  backupReachesTo: instant.nullable(),
  lost: z
    .strictObject({
      tasks: lost,
      changedTasks: lost,
      attempts: lost,
      launches: lost,
      liveLaunches: lost,
      messages: lost,
      actors: lost,
      commands: lost,
      events: lost,
    })
    .nullable(),
  lossUnknown: z.string().nullable().describe("why it is not known what is lost"),
  keptAt: z.string().nullable().describe("the replaced ledger"),
}) satisfies z.ZodType<LedgerRestored>;

export const LEDGER_FILE_SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  "ledger-info": info,
  "ledger-check": check,
  "ledger-backup": backup,
  "ledger-restore": restore,
};
