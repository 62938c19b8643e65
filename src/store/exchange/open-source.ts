/** What a stage's source is: a folder, an archive that `export` made, or another archive. */
import { CodedError } from "../../kernel/errors.ts";
import type { FileSystem } from "../file-system.ts";

export type SourceKind = "folder" | "export" | "archive";

const BLOCK_BYTES = 512;

/** Throws `not_found` where there is nothing, `invalid_input` for anything but files and folders. */
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
  const descriptor = fs.openSync(source, "r");
  try {
    fs.readSync(descriptor, head, 0, BLOCK_BYTES, 0);
  } finally {
    fs.closeSync(descriptor);
  }
  // An export's first entry is its top folder, which is named by the id and fits a plain header.
  return /^[0-9a-f]{64}\/\0/.test(head.toString("latin1", 0, 66)) ? "export" : "archive";
}
