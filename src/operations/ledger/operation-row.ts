/**
 * What an operation of the ledger is, as data: the row from which the command line, the HTTP
 * routes and the reference pages are made.
 *
 * Rows load no schema library, since the command line loads them at every start. Their schemas and
 * their code stand in tables with the same keys, which the compiler holds equal.
 */
export interface OperationRow {
  /** `task add`: the words of the command; the route is `/v1/task.add`. */
  readonly name: string;
  /** A command changes the ledger and carries a command id; a query does neither. */
  readonly kind: "command" | "query";
  /**
   * A command that is said every few seconds and does no more when it is repeated. Its answer is not
   * put on record: a week of them would be the larger part of a ledger.
   */
  readonly isHeartbeat?: true;
  /** Which authorities may call it. */
  readonly callers: readonly Authority[];
  readonly brief: string;
  /** What a reader of `--help` must know beside the brief; complete sentences. */
  readonly description?: string;
  /** The input's fields; null for an operation that has no command of its own. */
  readonly fields: Readonly<Record<string, FieldSpec>> | null;
  readonly examples: readonly { readonly line: string; readonly brief: string }[];
}

export type Authority = "operator" | "lead" | "worker" | "launcher";

/** One member of the input, as it is typed on a command line. */
export interface FieldSpec {
  readonly form: FieldForm;
  readonly brief: string;
  readonly placeholder: string;
  /** Typed as a word in this place instead of as a flag. */
  readonly position?: number;
  readonly required?: boolean;
}

/**
 * `text`       as it is
 * `list`       several, separated by commas
 * `count`      a whole number
 * `duration`   30s, 15m, 2h, 7d; milliseconds in the input
 * `json`       a JSON text, or @FILE that holds one
 * `switch`     present or not
 */
export type FieldForm = "text" | "list" | "count" | "duration" | "json" | "switch";
