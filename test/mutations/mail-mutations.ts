/** Harms to the inbox, alarms, actors, settings and retention. */
import { BRIEF_SIMULATION, type Mutation } from "./mutation.ts";

const INBOX = "test/unit/ledger-inbox.test.ts";
const SESSIONS = "test/unit/ledger-inbox-sessions.test.ts";
const LOSSES = "test/unit/ledger-inbox-losses.test.ts";
const ALARMS = "test/unit/ledger-alarms.test.ts";
const ENDED = "test/unit/ledger-inbox-ended.test.ts";
const ACKNOWLEDGE =
  "AND lease_token = @leaseToken\n     AND revision = @revision AND state IN ('leased', 'presented') AND lease_until > @now`;\n\n/** Whether";

export const MAIL_MUTATIONS: readonly Mutation[] = [
  {
    name: "an old token acknowledges",
    file: "src/coordinator/inbox/ack-envelope.ts",
    find: ACKNOWLEDGE,
    replace: ACKNOWLEDGE.replace("lease_token = @leaseToken", "@leaseToken <> ''"),
    tests: [BRIEF_SIMULATION, INBOX],
  },
  {
    name: "a lease that is over acknowledges",
    file: "src/coordinator/inbox/ack-envelope.ts",
    find: ACKNOWLEDGE,
    replace: ACKNOWLEDGE.replace(" AND lease_until > @now", ""),
    tests: [INBOX],
  },
  {
    name: "a message is acknowledged without a receipt",
    file: "src/coordinator/inbox/ack-envelope.ts",
    find: "  putReceipt(tx, { ...key, result: input.result });\n",
    replace: "",
    tests: [BRIEF_SIMULATION, INBOX],
  },
  {
    name: "a second envelope is given out beside the first",
    file: "src/coordinator/inbox/fetch-envelope.ts",
    find: "if (outstanding !== null) return",
    replace: "if (outstanding === undefined) return",
    tests: [BRIEF_SIMULATION, INBOX],
  },
  {
    name: "processed work is given out again",
    file: "src/coordinator/inbox/fetch-envelope.ts",
    find: "if (tx.get(IS_PROCESSED, { recipient, message }) === undefined) break;",
    replace: "if (IS_PROCESSED !== '') break;",
    tests: ["test/property/ledger-inbox-lossy.test.ts"],
  },
  {
    name: "mail disturbs a busy session",
    file: "src/coordinator/inbox/session-readiness.ts",
    find: `? null : "session_busy";`,
    replace: "? null : null;",
    tests: [BRIEF_SIMULATION, SESSIONS],
  },
  {
    name: "mail goes to an MCP process that is not ready",
    file: "src/coordinator/inbox/session-readiness.ts",
    find: `if (mcp !== "ready") return "mcp_not_ready";`,
    replace: "",
    tests: [BRIEF_SIMULATION],
  },
  {
    name: "what was shown is delivered again as if it had not been",
    file: "src/coordinator/inbox/end-lease.ts",
    find: "WHEN state = 'presented' AND @end = 'lapsed' THEN 'uncertain'",
    replace: "WHEN state = 'presented' AND @end = 'lapsed' THEN 'pending'",
    tests: [BRIEF_SIMULATION],
  },
  {
    name: "a message is dead one attempt early",
    file: "src/coordinator/inbox/end-lease.ts",
    find: "WHEN attempt >= @attempts THEN 'dead'",
    replace: "WHEN attempt >= @attempts - 1 THEN 'dead'",
    tests: [BRIEF_SIMULATION],
  },
  {
    name: "a message that expired is given out",
    file: "src/coordinator/inbox/fetch-envelope.ts",
    find: "AND next_attempt_at <= @now AND (expires_at IS NULL OR expires_at > @now)\n   ORDER BY",
    replace: "AND next_attempt_at <= @now AND @now > 0\n   ORDER BY",
    tests: [INBOX],
  },
  {
    name: "an inbox has no bound",
    file: "src/coordinator/inbox/put-message.ts",
    find: "return (row?.waiting ?? 0) < capacity;",
    replace: "return (row?.waiting ?? 0) >= 0 || capacity > 0;",
    tests: [INBOX],
  },
  {
    name: "what nobody shows is renewed for ever",
    file: "src/coordinator/inbox/renew-envelope.ts",
    find: "AND (state = 'presented' OR launch IS NULL\n",
    replace: "AND (state <> '' OR launch IS NULL\n",
    tests: [SESSIONS],
  },
  {
    name: "outstanding mail expires for what the owner did not hear",
    file: "src/coordinator/inbox/grant-delivery-term.ts",
    find: `return tx.run(LEASES, { now, leaseMs: setting(tx, "inbox.lease") });`,
    replace: `return setting(tx, "inbox.lease") + LEASES.length;`,
    tests: [BRIEF_SIMULATION],
  },
  {
    name: "mail stays out with a revoked enrollment",
    file: "src/coordinator/actors/revoke.ts",
    find: "  endOutstanding(tx, { first: actor, last: actor });\n",
    replace: "  endOutstanding(tx, { first: '~', last: actor });\n",
    tests: [LOSSES],
  },
  {
    name: "mail waits for ever for a worker whose launch is over",
    file: "src/coordinator/launches/end-worker.ts",
    find: "  endMail(tx, actor);\n",
    replace: "  if (actor === '') endMail(tx, actor);\n",
    tests: [BRIEF_SIMULATION, ENDED],
  },
  {
    name: "a worker's capability outlives its launch",
    file: "src/coordinator/launches/end-worker.ts",
    find: "  revokeEnrollment(tx, { actor, by, reason });\n",
    replace: "  if (actor === '') revokeEnrollment(tx, { actor, by, reason });\n",
    tests: [ENDED],
  },
  {
    name: "a former revision stays active",
    file: "src/coordinator/actors/enroll.ts",
    find: "UPDATE enrollment SET state = 'superseded', ended_at = @now WHERE actor = @actor AND state = 'active'",
    replace:
      "UPDATE enrollment SET state = 'superseded', ended_at = @now WHERE actor = @actor AND state = 'none'",
    tests: [BRIEF_SIMULATION, "test/unit/ledger-actors.test.ts"],
  },
  {
    name: "an alarm is not delivered to who asked for the work",
    file: "src/coordinator/alarms/raise-alarm.ts",
    find: "  deliver(tx, { id, text:",
    replace: "  if (id === '') deliver(tx, { id, text:",
    tests: [ALARMS],
  },
  {
    name: "an alarm is raised before its time",
    file: "src/coordinator/sweeps/sweep-progress.ts",
    find: "attempt.progress_due_at <= @now\n",
    replace: "attempt.progress_due_at <= @now + 5000\n",
    tests: [BRIEF_SIMULATION],
  },
  {
    name: "real progress resolves no alarm",
    file: "src/coordinator/attempts/progress.ts",
    find: `kinds: ["stale_progress"]`,
    replace: "kinds: []",
    tests: ["test/integration/ledger-sweeps.test.ts"],
  },
  {
    name: "a setting has no least value",
    file: "src/coordinator/settings/set-setting.ts",
    find: "value >= row.least && ",
    replace: "",
    tests: ["test/unit/ledger-settings.test.ts"],
  },
  {
    name: "a setting does not go back to its default",
    file: "src/coordinator/settings/set-setting.ts",
    find: `    tx.run("DELETE FROM setting WHERE key = @key", { key });\n`,
    replace: "",
    tests: ["test/unit/ledger-settings.test.ts"],
  },
  {
    name: "retention takes what is dead and was not looked at",
    file: "src/coordinator/retention/drop-mail.ts",
    find: "(state = 'dead' AND reason = 'recipient_ended'))\n     AND settled_at",
    replace: "state = 'dead')\n     AND settled_at",
    tests: ["test/integration/ledger-retention.test.ts"],
  },
];
