/** Makes the names in one folder, or the content of one file, durable; nothing below it. */
import type { FileSystem } from "./file-system.ts";

export function flushFolder(
  fs: Pick<FileSystem, "openSync" | "fsyncSync" | "closeSync">,
  path: string,
): void {
  const descriptor = fs.openSync(path, "r");
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}
