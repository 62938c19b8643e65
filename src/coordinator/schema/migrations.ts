/**
 * The ledger's schema as numbered steps that only go forward.
 *
 * `user_version` is major × 1000 + minor. A compatible step only adds, and raises the minor: every
 * owner of the same major opens the result. A breaking step raises the major, and older owners
 * refuse the file (`ledger_newer`). `lint-migrations.ts` holds each step to what it says it is.
 */
import { INBOX_TABLES } from "./inbox-tables.ts";
import { LAUNCH_TABLES } from "./launch-tables.ts";
import { RETENTION_TABLES } from "./retention-tables.ts";
import { SCOPE_TABLES } from "./scope-tables.ts";
import { TALLY_TABLES } from "./tally-tables.ts";
import { WORK_TABLES } from "./work-tables.ts";

/** "swgl" in ASCII: says that a database is a ledger of ours before anything is written to it. */
export const APPLICATION_ID = 0x7377676c;

export interface Migration {
  readonly major: number;
  readonly minor: number;
  readonly kind: "compatible" | "breaking";
  readonly sql: string;
}

export const MIGRATIONS: readonly Migration[] = [
  {
    major: 1,
    minor: 0,
    kind: "breaking",
    sql: [SCOPE_TABLES, LAUNCH_TABLES, WORK_TABLES, INBOX_TABLES, TALLY_TABLES, RETENTION_TABLES].join("\n"),
  },
];
