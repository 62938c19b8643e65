/**
 * Exports a generation to a file, which appears complete or not at all: a temporary name in the
 * same folder, flushed, renamed, and the folder flushed.
 */
import { basename, dirname, join } from "node:path";
import type { Ids } from "../../kernel/clock.ts";
import { systemCode } from "../../kernel/errors.ts";
import type { FileSystem } from "../file-system.ts";
import { type ExportRequest, exportArchive } from "./export-archive.ts";

export interface ExportFileRequest extends Omit<ExportRequest, "fs" | "write"> {
  readonly fs: ExportRequest["fs"] &
    Pick<FileSystem, "fsyncSync" | "renameSync" | "unlinkSync" | "writeSync">;
  readonly ids: Ids;
  /** Absolute path; a file that stands there is replaced. */
  readonly file: string;
}

/** Throws `generation_damaged`; then no file is left behind, and one that stood there stays. */
export async function writeExportFile(
  request: ExportFileRequest,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const { fs, ids, file, ...exported } = request;
  const temporary = join(dirname(file), `.${basename(file)}.${ids.hex(6)}`);
  const descriptor = fs.openSync(temporary, "wx", 0o644);
  let isOpen = true;
  try {
    const result = await exportArchive({
      ...exported,
      fs,
      async write(piece) {
        for (let at = 0; at < piece.byteLength; ) at += fs.writeSync(descriptor, piece, at);
      },
    });
    fs.fsyncSync(descriptor);
    isOpen = false;
    fs.closeSync(descriptor);
    fs.renameSync(temporary, file);
    flushFolder(fs, dirname(file));
    return result;
  } catch (error) {
    if (isOpen) fs.closeSync(descriptor);
    removeIfThere(fs, temporary);
    throw error;
  }
}

function removeIfThere(fs: ExportFileRequest["fs"], path: string): void {
  try {
    fs.unlinkSync(path);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
}

function flushFolder(fs: ExportFileRequest["fs"], folder: string): void {
  const descriptor = fs.openSync(folder, "r");
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}
