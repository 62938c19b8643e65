/** Writes a whole private file that must not exist yet; a single write may take less than is given. */
import type { FileSystem } from "./file-system.ts";

export function writeNewFile(
  fs: Pick<FileSystem, "openSync" | "writeSync" | "closeSync">,
  path: string,
  bytes: Uint8Array,
): void {
  const opened = fs.openSync(path, "wx", 0o600);
  try {
    for (let at = 0; at < bytes.byteLength; ) at += fs.writeSync(opened, bytes, at);
  } finally {
    fs.closeSync(opened);
  }
}
