/**
 * Removes a tree whose folders are read-only, as published ones are. Never follows a link, and is
 * content if another process removes the same tree at once.
 */
import { join } from "node:path";
import { systemCode } from "../../kernel/errors.ts";
import type { FileSystem } from "../file-system.ts";

export function removeTree(fs: FileSystem, path: string): void {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isDirectory()) {
    unlessGone(() => fs.unlinkSync(path));
    return;
  }
  unlessGone(() => {
    // Entries of a folder can only be removed while it is writable.
    fs.chmodSync(path, 0o700);
    for (const entry of fs.readdirSync(path, { withFileTypes: true })) {
      const child = join(path, entry.name);
      if (entry.isDirectory()) removeTree(fs, child);
      else unlessGone(() => fs.unlinkSync(child));
    }
    fs.rmdirSync(path);
  });
}

function unlessGone(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
}
