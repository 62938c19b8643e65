/**
 * The file system as the store uses it: Node's own synchronous calls, plus one flush.
 *
 * Synchronous, because a stage is bound by system calls that take microseconds; asynchronous
 * walks are four to nine times slower. Passed in, so that tests can record operations, make one
 * fail, or end the process before it.
 */
import type * as nodeFs from "node:fs";

export type FileSystem = Pick<
  typeof nodeFs,
  | "chmodSync"
  | "closeSync"
  | "copyFileSync"
  | "fchmodSync"
  | "fstatSync"
  | "fsyncSync"
  | "futimesSync"
  | "linkSync"
  | "lstatSync"
  | "lutimesSync"
  | "mkdirSync"
  | "openSync"
  | "readFileSync"
  | "readSync"
  | "readdirSync"
  | "readlinkSync"
  | "realpathSync"
  | "renameSync"
  | "rmdirSync"
  | "statSync"
  | "symlinkSync"
  | "unlinkSync"
  | "utimesSync"
  | "writeSync"
> & {
  /** Makes all that was written below `folder` durable; one call for a whole tree. */
  flush(folder: string): void;
  /** Begins to write what a later flush of `folder` would have to; promises nothing, and waits for nothing. */
  startFlush(folder: string): void;
};
