/**
 * Unpacks an npm package's `.tgz` into a private folder, which is then staged like any folder.
 *
 * The one top folder is left out, whatever its name (npm writes `package/`, others the project's
 * name). Modes are npm's: 0644, with the executable bits where the archive has the owner's.
 */
import { type ReadArchiveRequest, readArchive } from "./read-archive.ts";
import { createTreeWriter } from "./write-tree.ts";

export interface UnpackRequest extends Pick<ReadArchiveRequest, "archive" | "bounds"> {
  readonly fs: ReadArchiveRequest["fs"] & Parameters<typeof createTreeWriter>[0];
  /** Absolute path of an empty folder that nobody else writes to. */
  readonly into: string;
}

/**
 * Answers the name of the archive's top folder. Throws `source_refused` (then `into` may hold some
 * of the files, and is to be thrown away), `not_found`, `invalid_input`.
 */
export async function unpackPackage(request: UnpackRequest): Promise<{ readonly root: string }> {
  const { fs, into, ...reading } = request;
  const writer = createTreeWriter(fs, into, { plain: 0o644, executable: 0o755 });
  try {
    const contents = await readArchive({ ...reading, fs, onFile: writer.file });
    writer.finish(contents);
    return { root: contents.root };
  } finally {
    writer.close();
  }
}
