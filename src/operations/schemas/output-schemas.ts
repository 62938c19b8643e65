/**
 * The documented shape of every output: what `--json` prints, and what other surfaces return.
 *
 * Strict: a key that is not named here is a fault. Loaded by tests, the generator of docs/cli.md
 * and servers; never by the command line, which would pay for zod on every start. The compiler
 * holds each schema to the type of its operation.
 */
import { z } from "zod";
import { contractSchema, entrypointsSchema } from "../../store/source/generation-file-schema.ts";
import type { Activation, Pin, StageResult } from "../../store/store.ts";
import type { ActivateOutput } from "../activate.ts";
import type { DiffOutput } from "../diff.ts";
import type { DoctorOutput } from "../doctor.ts";
import type { ExportOutput } from "../exchange.ts";
import type { HistoryOutput } from "../history.ts";
import type { LsOutput } from "../ls.ts";
import type { RepairOutput } from "../repair.ts";
import type { ShowFilesOutput, ShowOutput, ShowSumsOutput } from "../show.ts";
import type { GcOutput } from "../store-gc.ts";
import type { StoreInfoOutput } from "../store-info.ts";
import type { UninstallOutput } from "../uninstall.ts";
import type { VerifyOutput } from "../verify.ts";
import type { WhyOutput } from "../why.ts";
import { LEDGER_FILE_SCHEMAS } from "./ledger-file-schemas.ts";
import { OWNER_SCHEMAS } from "./owner-schemas.ts";

const id = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .describe("generation id: 64 hex digits");
const digest = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .describe("SHA-256, hex");
const instant = z.iso.datetime().describe("ISO 8601, UTC");
const count = z.int().min(0);
const bytes = count;
const change = z.enum(["added", "removed", "changed"]);
const component = z.enum(["interpreter", "dependencies", "hooks", "skills", "code"]);
const methods = z.partialRecord(z.enum(["written", "reflink", "hardlink", "copy"]), count);

const pin = z.strictObject({
  id: z.string(),
  kind: z.enum(["activation", "launch", "owner", "stage", "process", "manual"]),
  generation: id,
  reason: z.string(),
  since: instant,
  expiresAt: instant.nullable(),
  holder: z.record(z.string(), z.union([z.string(), z.number()])),
}) satisfies z.ZodType<Pin>;

const activation = z.strictObject({
  profile: z.string(),
  activation: z.int().min(1).describe("counts within the profile"),
  generation: id,
  at: instant,
  by: z.string(),
  kind: z.enum(["activate", "rollback"]),
  current: z.boolean(),
}) satisfies z.ZodType<Activation>;

const stage = z.strictObject({
  generation: id,
  name: z.string(),
  new: z.boolean().describe("false where the store had it already"),
  files: count.describe("files and links"),
  bytes,
  reused: z.strictObject({ files: count, bytes }).describe("what the store had already, by content"),
  durationMs: z.number().min(0).describe("milliseconds"),
}) satisfies z.ZodType<StageResult>;

const activate = z.strictObject({
  activation: z.int().min(1),
  generation: id,
  previous: id.nullable().describe("what was current before"),
  changed: z.boolean(),
}) satisfies z.ZodType<ActivateOutput>;

const ls = z.strictObject({
  generations: z.array(
    z.strictObject({
      generation: id,
      name: z.string(),
      files: count,
      bytes,
      stagedAt: instant,
      pins: count,
      activations: count,
    }),
  ),
}) satisfies z.ZodType<LsOutput>;

const show = z.strictObject({
  generation: id,
  name: z.string(),
  path: z.string().describe("absolute path of the tree"),
  files: count,
  bytes,
  narHash: z.string().startsWith("sha256-").nullable().describe("SRI form; null until asked with --nar"),
  contract: contractSchema.nullable(),
  entrypoints: entrypointsSchema,
  pins: z.array(pin),
  activations: z.array(activation),
}) satisfies z.ZodType<ShowOutput>;

const showFiles = z.strictObject({
  generation: id,
  tree: z.array(
    z.strictObject({
      path: z.string(),
      kind: z.enum(["file", "link"]),
      mode: z.enum(["100644", "100755", "120000"]),
      digest: digest.describe("Git blob digest"),
      size: bytes,
    }),
  ),
}) satisfies z.ZodType<ShowFilesOutput>;

const showSums = z.strictObject({
  generation: id,
  sums: z.array(z.strictObject({ path: z.string(), sha256: digest })),
}) satisfies z.ZodType<ShowSumsOutput>;

const fileState = z.strictObject({ mode: z.string(), digest, size: bytes }).nullable();

const diff = z.strictObject({
  from: id,
  to: id,
  components: z.array(
    z.strictObject({
      component,
      name: z.string().describe("a package, a hook's event, …; empty for the code as a whole"),
      change,
      before: z.string().nullable(),
      after: z.string().nullable(),
    }),
  ),
  files: z.array(
    z.strictObject({ path: z.string(), component, change, before: fileState, after: fileState }),
  ),
  bytesBefore: bytes,
  bytesAfter: bytes,
}) satisfies z.ZodType<DiffOutput>;

const history = z.strictObject({
  profile: z.string(),
  activations: z.array(activation),
}) satisfies z.ZodType<HistoryOutput>;

const damage = z.strictObject({
  generation: id,
  path: z.string(),
  kind: z.enum([
    "missing",
    "extra",
    "type",
    "mode",
    "content",
    "size",
    "target",
    "mtime",
    "inode",
    "listing",
    "unreadable",
  ]),
  expected: z.string().nullable(),
  found: z.string().nullable(),
});

const verify = z.strictObject({ ok: z.boolean(), damage: z.array(damage) }) satisfies z.ZodType<VerifyOutput>;

const repair = z.strictObject({
  generation: id,
  repaired: z.array(damage),
  changed: z.boolean(),
}) satisfies z.ZodType<RepairOutput>;

const why = z.strictObject({
  generation: id,
  state: z.enum(["present", "collecting", "collected"]),
  pins: z.array(pin),
  lapsed: z.array(z.string()).describe("ids of pins that no longer count"),
  executing: z.array(z.strictObject({ pid: count, path: z.string(), command: z.string() })),
  collectable: z.boolean(),
  stagedAt: instant.nullable(),
  collectedAt: instant.nullable(),
}) satisfies z.ZodType<WhyOutput>;

const storeGc = z.strictObject({
  live: z.array(id),
  dead: z.array(id),
  deleted: z.array(id),
  freedBytes: bytes.describe("what only dead generations use on disk"),
}) satisfies z.ZodType<GcOutput>;

const storeInfo = z.strictObject({
  path: z.string(),
  generations: count,
  pinned: count,
  files: count,
  apparentBytes: bytes.describe("all trees as if nothing was shared"),
  blobs: count,
  blobBytes: bytes,
  indexBytes: bytes,
  importMethods: methods,
  alarms: z.array(z.string()),
}) satisfies z.ZodType<StoreInfoOutput>;

const exported = z.strictObject({
  generation: id,
  bytes,
  sha256: digest.describe("of the archive"),
}) satisfies z.ZodType<ExportOutput>;

const doctor = z.strictObject({
  ok: z.boolean().describe("no fault was found"),
  facts: z.record(z.string(), z.string()),
  findings: z.array(
    z.strictObject({
      severity: z.enum(["fault", "warning"]),
      check: z.string(),
      message: z.string(),
      fix: z.string(),
    }),
  ),
}) satisfies z.ZodType<DoctorOutput>;

const uninstall = z.strictObject({
  clear: z.boolean().describe("nothing runs from the store or is about to"),
  remove: z.array(z.strictObject({ path: z.string(), what: z.string(), bytes })),
  blockers: z.array(
    z.strictObject({
      kind: z.enum(["pin", "process"]),
      generation: id,
      id: z.string(),
      detail: z.string(),
    }),
  ),
  commands: z.array(z.string()),
}) satisfies z.ZodType<UninstallOutput>;

/** An error on any surface; more keys carry its facts (ids, paths, findings). */
export const ERROR_SCHEMA = z.looseObject({
  ok: z.literal(false),
  code: z.string(),
  message: z.string(),
  hint: z.string(),
  retryable: z.boolean(),
});

export const OUTPUT_SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  stage,
  ls,
  show,
  "show-files": showFiles,
  "show-sums": showSums,
  diff,
  activate,
  rollback: activate,
  history,
  verify,
  repair,
  pin,
  unpin: pin,
  why,
  "store-gc": storeGc,
  "store-info": storeInfo,
  export: exported,
  import: stage,
  doctor,
  uninstall,
  ...OWNER_SCHEMAS,
  ...LEDGER_FILE_SCHEMAS,
};
