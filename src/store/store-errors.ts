/** Turns the system's and SQLite's errors into coded ones, at the edge of the store. */
import { CodedError, type ErrorCode, systemCode } from "../kernel/errors.ts";

const INDEX_LOST =
  "Restore it from a backup, or move index.sqlite* away: swarm-gen store gc then takes in the trees that are whole; pins and history are lost.";

const SYSTEM: Readonly<Record<string, readonly [ErrorCode, what: string, hint?: string]>> = {
  ENOSPC: ["disk_full", "the file system is full"],
  EDQUOT: ["disk_full", "the quota is used up"],
  EROFS: ["store_unavailable", "the file system is read-only"],
  EIO: ["store_unavailable", "the disk answered with an input/output error"],
  EMFILE: ["store_unavailable", "this process may not open more files (ulimit -n)"],
  ENFILE: ["store_unavailable", "the system has too many open files"],
  EACCES: ["store_unavailable", "permission was denied"],
  EPERM: ["store_unavailable", "the operation is not permitted"],
  EXDEV: ["store_unavailable", "two folders of the store are on different file systems"],
  EMLINK: ["store_unavailable", "a folder or file has too many links"],
  ENOMEM: ["store_unavailable", "the system is out of memory"],
  ESTALE: ["store_unavailable", "the network file system lost it"],
  EBUSY: ["store_unavailable", "the system keeps it busy"],
  ENAMETOOLONG: [
    "source_refused",
    "a path is longer than the system allows",
    "Shorten the path, or choose a shorter SWARM_GEN_HOME.",
  ],
  ENOTDIR: ["store_unavailable", "a file stands where a folder is needed"],
  ERR_WORKER_INIT_FAILED: ["store_unavailable", "no worker thread could be started (ulimit -n, ulimit -u)"],
  ERR_WORKER_OUT_OF_MEMORY: ["store_unavailable", "a worker thread ran out of memory"],
  ERR_ACCESS_DENIED: [
    "store_unavailable",
    "this process is confined and may not reach what that takes",
    "Allow it with the flag of Node's permission model, or run the command unconfined.",
  ],
  SQLITE_FULL: ["disk_full", "the file system is full"],
  SQLITE_BUSY: ["overloaded", "another process kept the index busy"],
  SQLITE_LOCKED: ["overloaded", "another process kept the index busy"],
  SQLITE_PROTOCOL: ["overloaded", "other processes kept the index busy"],
  SQLITE_NOMEM: ["store_unavailable", "the system is out of memory"],
  SQLITE_READONLY: ["store_unavailable", "the index cannot be written"],
  SQLITE_IOERR: ["store_unavailable", "the disk answered with an input/output error"],
  SQLITE_CANTOPEN: ["store_unavailable", "the index cannot be opened"],
  SQLITE_NOTADB: ["store_unavailable", "it is not a database", INDEX_LOST],
  SQLITE_CORRUPT: ["store_unavailable", "it is damaged", INDEX_LOST],
};

/** A coded error of what a system call or SQLite answered; anything else passes through as it is. */
export function asStoreError(error: unknown, doing: string): unknown {
  if (error instanceof CodedError) return error;
  const systemName = systemCode(error);
  if (systemName === null) return error;
  // SQLite's extended codes (SQLITE_IOERR_WRITE) begin with the primary one.
  const known = SYSTEM[systemName] ?? SYSTEM[systemName.split("_").slice(0, 2).join("_")];
  if (known === undefined) return error;
  const [code, what, hint] = known;
  const path = textOf(error, "path") ?? textOf(error, "resource") ?? textOf(error, "permission");
  return new CodedError(code, `Could not ${doing}: ${what}${path === null ? "" : ` (${path})`}.`, {
    ...(hint === undefined ? {} : { hint }),
    cause: error,
    fields: { system: systemName, ...(path === null ? {} : { path }) },
  });
}

function textOf(error: unknown, key: string): string | null {
  const value = (error as Record<string, unknown>)[key];
  return typeof value === "string" && value !== "" ? value : null;
}

export function withStoreErrors<Result>(doing: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    throw asStoreError(error, doing);
  }
}

export async function withStoreErrorsAsync<Result>(
  doing: string,
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    throw asStoreError(error, doing);
  }
}

/** The same functions, each with coded errors. */
export function withStoreErrorsIn<Functions extends object>(doing: string, functions: Functions): Functions {
  const guarded = Object.entries(functions).map(([name, act]) => [
    name,
    (...args: unknown[]) => withStoreErrors(doing, () => (act as (...args: unknown[]) => unknown)(...args)),
  ]);
  return Object.fromEntries(guarded) as Functions;
}
