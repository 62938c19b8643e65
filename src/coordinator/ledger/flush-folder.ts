/** Flushes a folder, so that a name which was made or moved in it survives a loss of power. */
import { closeSync, fsyncSync, openSync } from "node:fs";

export function flushFolder(folder: string): void {
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
