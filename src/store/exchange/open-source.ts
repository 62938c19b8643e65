/** What a stage's source is: a folder, an archive that `export` made, or another archive. */
import { constants } from "node:fs";
import { CodedError } from "../../kernel/errors.ts";
import type { FileSystem } from "../file-system.ts";

export type SourceKind = "folder" | "export" | "archive";

const BLOCK_BYTES = 512;

/**
 * What plainly is an export; one that was compressed shows by its top folder when it is unpacked.
 * Throws `not_found` where there is nothing, `invalid_input` for anything but files and folders.
 */
export function sourceKind(fs: FileSystem, source: string): SourceKind {
  const stats = fs.statSync(source, { throwIfNoEntry: false });
  if (stats === undefined) {
    throw new CodedError("not_found", `${source} does not exist.`, {
      hint: "Give a folder, an npm package (.tgz) or an archive that swarm-gen export made.",
      fields: { source },
    });
  }
  if (stats.isDirectory()) return "folder";
  if (!stats.isFile())
    throw new CodedError("invalid_input", `${source} is neither a folder nor a file.`, {
      fields: { source },
    });
  const head = Buffer.alloc(BLOCK_BYTES);
  // Not blocking: it may have become a fifo since.
  const descriptor = fs.openSync(source, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    fs.readSync(descriptor, head, 0, BLOCK_BYTES, 0);
  } finally {
    fs.closeSync(descriptor);
  }
  // An export's first entry is its top folder, whose name fits a plain header.
  const [root = "", rest] = head.toString("latin1", 0, 66).split("/");
  return isExportRoot(root) && rest === "\0" ? "export" : "archive";
}

/** Whether an archive's top folder is an export's: it is named by the generation's id. */
export function isExportRoot(root: string): boolean {
  return /^[0-9a-f]{64}$/.test(root);
}
