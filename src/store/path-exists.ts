/** Whether anything stands at a path, a dangling link included. */
import type { FileSystem } from "./file-system.ts";

export function pathExists(fs: Pick<FileSystem, "lstatSync">, path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
