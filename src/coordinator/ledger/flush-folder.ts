/** Flushes what SQLite does not: the name of a file in its folder, and a file that is no longer open. */
import { closeSync, fsyncSync, openSync } from "node:fs";

/** So that a name which was made or moved in it survives a loss of power. */
export function flushFolder(folder: string): void {
  flush(folder, "r");
}

/** No connection to it may be open in this process, whose lock it would drop. */
export function flushFile(path: string): void {
  flush(path, "r+");
}

function flush(path: string, flags: string): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
