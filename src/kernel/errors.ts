/**
 * The error catalogue: one table from which the CLI's exit codes, HTTP statuses and the
 * reference page are made, and the one class that carries a code of it.
 *
 * Three kinds of trouble exist. An outcome that the caller always branches on is a returned
 * value. A coded error is for somebody further up who can act: it names the thing and the next
 * step. A bug is an `invariant()` that failed; nobody catches it.
 */

/** `when` says what happened; `todo` what the reader should do next. */
export interface CatalogueRow {
  readonly exit: number;
  readonly http: number;
  readonly retryable: boolean;
  readonly when: string;
  readonly todo: string;
}

export const CATALOGUE = {
  internal: {
    exit: 1,
    http: 500,
    retryable: false,
    when: "a bug in swarm-gen",
    todo: "report it with the message and the stack",
  },
  invalid_input: {
    exit: 2,
    http: 400,
    retryable: false,
    when: "an argument, a flag or a file given as input is malformed",
    todo: "correct what the message names; --help shows the form",
  },
  recipe_invalid: {
    exit: 2,
    http: 400,
    retryable: false,
    when: "a recipe or a file it needs is malformed, or manifest and lockfile disagree",
    todo: "correct the recipe at the path and line that the message names",
  },
  source_refused: {
    exit: 2,
    http: 422,
    retryable: false,
    when: "a source holds what no generation may hold, or changed while it was read",
    todo: "mend each finding as it says, then stage again",
  },
  build_failed: {
    exit: 2,
    http: 422,
    retryable: true,
    when: "the package manager could not build the runtime's dependencies",
    todo: "read the package manager's last lines in the message",
  },
  not_found: {
    exit: 3,
    http: 404,
    retryable: false,
    when: "the named thing does not exist",
    todo: "list what exists with the command that the hint names",
  },
  generation_not_found: {
    exit: 3,
    http: 404,
    retryable: false,
    when: "no generation in this store has that id, prefix or number",
    todo: "swarm-gen ls lists the generations",
  },
  ambiguous_prefix: {
    exit: 3,
    http: 404,
    retryable: false,
    when: "several things begin with the prefix",
    todo: "type more of it; the message lists the candidates",
  },
  unauthorized: {
    exit: 4,
    http: 401,
    retryable: false,
    when: "a capability is missing, or nobody was enrolled with it",
    todo: "name the file that `swarm-gen enroll` wrote with --capability",
  },
  forbidden: {
    exit: 4,
    http: 403,
    retryable: false,
    when: "the caller is known but has no authority for the operation",
    todo: "use a capability of the authority that the message names",
  },
  enrollment_revoked: {
    exit: 4,
    http: 403,
    retryable: false,
    when: "the enrollment was revoked, or superseded by a newer revision of the same actor",
    todo: "stop; an operator enrolls the actor anew",
  },
  stale_fence: {
    exit: 5,
    http: 409,
    retryable: false,
    when: "a newer attempt holds the task, or the attempt has ended, so the write changed nothing",
    todo: "stop working on the task; swarm-gen task show tells who holds it",
  },
  stale_delivery: {
    exit: 5,
    http: 409,
    retryable: false,
    when: "the lease token is not the delivery's current one, so the write changed nothing",
    todo: "fetch again; processed work is recognised by its message id",
  },
  task_held: {
    exit: 5,
    http: 409,
    retryable: false,
    when: "the task has a holder, whom the message names with its fence",
    todo: "claim another task, or wait until this one is free",
  },
  wrong_state: {
    exit: 5,
    http: 409,
    retryable: false,
    when: "the thing is in a state that does not allow the operation",
    todo: "look at its state, which the message names",
  },
  idempotency_conflict: {
    exit: 5,
    http: 409,
    retryable: false,
    when: "the same command or intent id came before with another content",
    todo: "make a new id for a new command; a retry repeats id and content",
  },
  command_expired: {
    exit: 5,
    http: 409,
    retryable: false,
    when: "the command id is older than recorded answers are kept, so a repeat could not be told",
    todo: "look whether the change was made, then send it under a new id",
  },
  worker_claim_failed: {
    exit: 5,
    http: 409,
    retryable: false,
    when: "a worker proved that it is ready, and its task had ended meanwhile",
    todo: "stop the worker; swarm-gen task show tells how the task ended",
  },
  second_consumer: {
    exit: 5,
    http: 409,
    retryable: false,
    when: "the enrollment names another kind of consumer for the inbox",
    todo: "fetch by the consumer that the message names",
  },
  generation_collecting: {
    exit: 5,
    http: 409,
    retryable: true,
    when: "the generation is being collected and can no longer be pinned",
    todo: "stage it again",
  },
  generation_damaged: {
    exit: 5,
    http: 409,
    retryable: false,
    when: "a generation's tree, or an archive, differs from what its id says",
    todo: "swarm-gen verify lists each path; swarm-gen repair mends from a good copy",
  },
  pin_conflict: {
    exit: 5,
    http: 409,
    retryable: false,
    when: "a pin with this identity holds another generation already",
    todo: "swarm-gen why shows who holds it; release that pin first",
  },
  admission_closed: {
    exit: 7,
    http: 409,
    retryable: true,
    when: "new launches may not begin, because a holder is replacing the runtime",
    todo: "wait for the holder that the message names",
  },
  admission_lost: {
    exit: 7,
    http: 409,
    retryable: false,
    when: "the admission that this step relied on is no longer held at its epoch",
    todo: "start the command again; nothing was changed",
  },
  scope_paused: {
    exit: 7,
    http: 409,
    retryable: true,
    when: "an operator holds the scope",
    todo: "swarm-gen resume, once the reason that the message names is gone",
  },
  coordinator_version_mismatch: {
    exit: 8,
    http: 409,
    retryable: false,
    when: "client and owner have no version of the API in common",
    todo: "use the older side's counterpart; the message says which side that is",
  },
  ledger_newer: {
    exit: 8,
    http: 409,
    retryable: false,
    when: "a newer swarm-gen wrote the ledger in a way this one cannot read",
    todo: "use the newer swarm-gen; nothing was changed",
  },
  ledger_foreign: {
    exit: 8,
    http: 409,
    retryable: false,
    when: "the file is no ledger, or the ledger of another scope or instance",
    todo: "put the scope's own ledger back, or restore it from a backup; nothing was changed",
  },
  ledger_damaged: {
    exit: 8,
    http: 500,
    retryable: false,
    when: "the ledger does not pass SQLite's integrity check, or its own",
    todo: "swarm-gen ledger restore brings a backup back, and lists what it lacks",
  },
  store_newer: {
    exit: 8,
    http: 409,
    retryable: false,
    when: "a newer swarm-gen wrote the store's index in a way this one cannot read",
    todo: "use the newer swarm-gen",
  },
  state_insecure: {
    exit: 8,
    http: 409,
    retryable: false,
    when: "a folder or file of swarm-gen's can be written by other users, or belongs to one",
    todo: "run the command that the hint names",
  },
  unsupported_node: {
    exit: 8,
    http: 500,
    retryable: false,
    when: "the interpreter is older than swarm-gen needs, or a generation carries none",
    todo: "use the Node that the message names",
  },
  unsupported_platform: {
    exit: 8,
    http: 500,
    retryable: false,
    when: "the operating system is neither Linux nor macOS",
    todo: "use Linux or macOS",
  },
  readiness_pending: {
    exit: 9,
    http: 409,
    retryable: true,
    when: "the worker's session has not proven yet that it is ready",
    todo: "answer the challenge that the session was given, then repeat",
  },
  wait_timeout: {
    exit: 10,
    http: 504,
    retryable: true,
    when: "the wait ended before the thing did; the thing itself goes on",
    todo: "wait again, or look at its state",
  },
  owner_unavailable: {
    exit: 11,
    http: 503,
    retryable: true,
    when: "the scope's owner does not run or does not answer",
    todo: "swarm-gen owner start; swarm-gen owner logs tells why it ended",
  },
  owner_restarting: {
    exit: 11,
    http: 503,
    retryable: true,
    when: "the owner is stopping or starting",
    todo: "wait a moment, then repeat the command under the same id",
  },
  inbox_full: {
    exit: 11,
    http: 503,
    retryable: true,
    when: "the recipient's inbox holds as many messages as it may",
    todo: "wait until the recipient has taken some; swarm-gen inbox ls shows them",
  },
  ledger_unavailable: {
    exit: 11,
    http: 503,
    retryable: true,
    when: "the ledger cannot be read or written (read-only disk, I/O error, too many open files)",
    todo: "mend what the cause names, then repeat the command under the same id",
  },
  store_unavailable: {
    exit: 11,
    http: 503,
    retryable: true,
    when: "the store cannot be read or written (read-only disk, I/O error, too many open files)",
    todo: "mend what the cause names, then run the command again",
  },
  disk_full: {
    exit: 11,
    http: 507,
    retryable: true,
    when: "the store's file system has no room left",
    todo: "free some room (swarm-gen store gc), then run the command again",
  },
  overloaded: {
    exit: 11,
    http: 503,
    retryable: true,
    when: "the store or the owner is busier than the wait or its bounds allow",
    todo: "run the command again",
  },
} as const satisfies Record<string, CatalogueRow>;

export type ErrorCode = keyof typeof CATALOGUE;

export interface ErrorDetails {
  /** The next step, for a person; a command where one exists. */
  readonly hint?: string;
  readonly cause?: unknown;
  /** Machine-readable facts of this error: ids, paths, findings. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** An error of the catalogue. Its `message` names the things involved; no text of it holds a secret. */
export class CodedError extends Error {
  readonly code: ErrorCode;
  readonly hint: string;
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(withoutSecrets(message), details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "CodedError";
    this.code = code;
    this.hint = withoutSecrets(details.hint ?? CATALOGUE[code].todo);
    this.fields = withoutSecretsIn(details.fields ?? {}) as Readonly<Record<string, unknown>>;
  }

  get exitCode(): number {
    return CATALOGUE[this.code].exit;
  }

  /** The error as data: `{ok:false, code, message, hint, retryable, …fields}`. */
  toJSON(): Record<string, unknown> {
    const { retryable } = CATALOGUE[this.code];
    return { ok: false, code: this.code, message: this.message, hint: this.hint, retryable, ...this.fields };
  }
}

/** States what must be true here; its failure is a bug, and nobody catches it. */
export function invariant(condition: unknown, why: string): asserts condition {
  if (!condition) throw new Error(`invariant failed: ${why}`);
}

/** The system's error code (`ENOENT`, …) or null for anything else. */
export function systemCode(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error)) return null;
  return typeof error.code === "string" ? error.code : null;
}

// Bearer tokens, `name=secret` pairs and URLs with credentials, which package managers print; our own.
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi, "$1 [secret]"],
  [
    /(_authToken|_auth|_password|token|secret|password|api[-_]?key)(["']?\s*[=:]\s*["']?)[^\s"'&]{4,}/gi,
    "$1$2[secret]",
  ],
  // From the colon on: a scheme before it would be looked for at each letter of a long word.
  [/(:\/\/)[^\s/@:]+:[^\s/@]+@/g, "$1[secret]@"],
  [/\bsgk_[0-9a-f]{16,}/g, "[secret]"],
];

function withoutSecrets(text: string): string {
  return SECRETS.reduce((cleaned, [pattern, replacement]) => cleaned.replace(pattern, replacement), text);
}

/** The same value with every text in it cleaned; fields are plain data. */
function withoutSecretsIn(value: unknown): unknown {
  if (typeof value === "string") return withoutSecrets(value);
  if (Array.isArray(value)) return value.map(withoutSecretsIn);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutSecretsIn(member)]));
}
