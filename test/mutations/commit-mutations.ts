/** Harms to group commit, its record of answers, and what the owner checks before a command. */
import { BRIEF_SIMULATION, type Mutation } from "./mutation.ts";

export const COMMIT_MUTATIONS: readonly Mutation[] = [
  {
    name: "what a refused command wrote stays",
    file: "src/coordinator/commit/apply-batch.ts",
    find: `    statements.run("ROLLBACK TO command");\n`,
    replace: "",
    tests: [BRIEF_SIMULATION],
  },
  {
    name: "a full disk is taken for one command's own fault",
    file: "src/coordinator/commit/apply-batch.ts",
    find: `return code.startsWith("SQLITE_") && !OWN_FAULT.test(code);`,
    replace: `return code.startsWith("SQLITE_NONE") && !OWN_FAULT.test(code);`,
    tests: ["test/fault/ledger-disk.test.ts"],
  },
  {
    name: "an answer is not put on record",
    file: "src/coordinator/commit/apply-batch.ts",
    find: "if (record !== null) recordAnswer(statements, record, { ok: true, output }, now);",
    replace: "",
    tests: [BRIEF_SIMULATION],
  },
  {
    name: "a refusal is not put on record",
    file: "src/coordinator/commit/apply-batch.ts",
    find: "if (record === null || !isLasting(error)) return error;",
    replace: "if (record !== null || !isLasting(error)) return error;",
    tests: [BRIEF_SIMULATION],
  },
  {
    name: "a refusal that may pass is put on record for good",
    file: "src/coordinator/commit/apply-batch.ts",
    find: "return error instanceof CodedError && !CATALOGUE[error.code as ErrorCode].retryable;",
    replace: "return error instanceof CodedError;",
    tests: [BRIEF_SIMULATION],
  },
  {
    name: "a batch that failed is answered as if it stood",
    file: "src/coordinator/commit/apply-batch.ts",
    find: "    return { answers: commands.map(() => ({ ok: false, error: failure, replayed: false })), lastEvent: null };",
    replace:
      "    return { answers: commands.map(() => ({ ok: true, output: String(failure), replayed: false })), lastEvent: null };",
    tests: ["test/fault/ledger-disk.test.ts"],
  },
  {
    name: "the same id with another content gets the first answer",
    file: "src/coordinator/commit/command-record.ts",
    find: "if (row.fingerprint === fingerprint) return",
    replace: "if (row.fingerprint !== '') return",
    tests: ["test/integration/owner-api.test.ts"],
  },
  {
    name: "the fresh term's answer is given to the first command",
    file: "src/coordinator/commit/group-commit.ts",
    find: "answers: answers.slice(1)",
    replace: "answers",
    tests: [BRIEF_SIMULATION],
  },
  {
    name: "an enrollment that ended while its command waited still writes",
    file: "src/owner/api/run-call.ts",
    find: "const current = authenticate(tx, capabilityDigest);",
    replace: "const current = tx.now > 0 ? caller : authenticate(tx, capabilityDigest);",
    tests: ["test/integration/owner-run-call.test.ts"],
  },
  {
    name: "anybody may call anything",
    file: "src/owner/api/run-call.ts",
    find: "  refuseCaller(row, caller.kind);\n",
    replace: "",
    tests: ["test/integration/owner-api.test.ts"],
  },
  {
    name: "a web page may call",
    file: "src/owner/api/origin-check.ts",
    find: `if (origin !== undefined) throw refusal("The request comes from a web page.");`,
    replace: "",
    tests: ["test/integration/owner-api.test.ts"],
  },
  {
    name: "a superseded capability is taken for its successor's",
    file: "src/coordinator/actors/authenticate.ts",
    find: `if (state !== "active")`,
    replace: `if (state === "revoked")`,
    tests: ["test/unit/ledger-actors.test.ts"],
  },
  {
    name: "a clock that was set back is not noticed",
    file: "src/owner/presence/absence-watch.ts",
    find: "const isGap = Math.abs(gap) > GAP_MS;",
    replace: "const isGap = gap > GAP_MS;",
    tests: ["test/unit/owner-absence.test.ts"],
  },
  {
    name: "an owner that was stopped for a while does not notice",
    file: "src/owner/presence/absence-watch.ts",
    find: "if (!isGap && ran <= STALL_MS) {",
    replace: "if (!isGap && ran <= STALL_MS * 1_000_000) {",
    tests: [BRIEF_SIMULATION, "test/unit/owner-absence.test.ts"],
  },
];
