/**
 * Reads an archive that `export` made into a staging tree, digesting every byte while it is
 * written. Nothing in the archive is believed: the id is computed from what was read, and must be
 * the one that the archive's top folder claims.
 *
 * Files get the store's modes and the fixed time. Blobs, flush, row and rename are the caller's.
 */
import { CodedError } from "../../kernel/errors.ts";
import { buildListing, type Listing, type ListingLeaf } from "../identity/listing.ts";
import { blobDigest, blobHasher, type Digest, type GenerationId } from "../identity/object-id.ts";
import { readArchive } from "../source/archive/read-archive.ts";
import type { UnpackRequest } from "../source/archive/unpack-package.ts";
import { createTreeWriter } from "../source/archive/write-tree.ts";
import { finding, sourceRefused } from "../source/finding.ts";
import { isExportRoot } from "./open-source.ts";

export interface ImportedFile {
  /** Relative to the generation's root. */
  readonly path: string;
  readonly digest: Digest;
  readonly size: number;
  readonly executable: boolean;
  /** Absolute path of the complete file in the staging tree. */
  readonly at: string;
}

export interface ReadExportRequest extends UnpackRequest {
  /** The id that the archive must hold; default: the one that it claims. */
  readonly expect?: GenerationId;
  /** Called for each file once it is complete. */
  readonly onFile?: (file: ImportedFile) => void;
}

export interface ReadExport {
  /** The name of the archive's top folder, which is proven to be the id of what it holds. */
  readonly claimed: GenerationId;
  readonly leaves: readonly ListingLeaf[];
  readonly listing: Listing;
}

const STORE_MODES = { plain: 0o444, executable: 0o555 } as const;

/** Throws `source_refused`, `generation_damaged`, `not_found`, `invalid_input`. */
export async function readExport(request: ReadExportRequest): Promise<ReadExport> {
  const { fs, archive, into, bounds, expect, onFile } = request;
  const writer = createTreeWriter(fs, into, STORE_MODES);
  const leaves: ListingLeaf[] = [];
  try {
    const contents = await readArchive({
      fs,
      archive,
      ...(bounds === undefined ? {} : { bounds }),
      onFile(file) {
        const { path, sizeBytes: size, executable } = file;
        const content = writer.file(file);
        const hasher = blobHasher(size);
        return {
          write(piece) {
            hasher.update(piece);
            content.write(piece);
          },
          end() {
            content.end();
            const digest = hasher.digest();
            leaves.push({ kind: "file", path, digest, size, executable });
            onFile?.({ path, digest, size, executable, at: writer.at(path) });
          },
        };
      },
    });
    for (const [path, target] of contents.links) leaves.push(linkLeaf(path, target));
    for (const path of contents.folders) leaves.push({ kind: "folder", path });
    const listing = buildListing(leaves);
    proveClaim({ archive, claimed: contents.root, expect: expect ?? contents.root, found: listing.id });
    writer.finish(contents);
    return { claimed: contents.root, leaves, listing };
  } finally {
    writer.close();
  }
}

function linkLeaf(path: string, target: string): ListingLeaf {
  const bytes = Buffer.from(target, "utf8");
  return { kind: "link", path, digest: blobDigest(bytes), size: bytes.length, target };
}

interface Claim {
  readonly archive: string;
  readonly claimed: string;
  readonly expect: GenerationId;
  readonly found: GenerationId;
}

function proveClaim({ archive, claimed, expect, found }: Claim): void {
  if (!isExportRoot(claimed)) {
    const detail = "an export's top folder is named by its generation's id";
    throw sourceRefused(archive, [finding("archive-root", claimed, detail)]);
  }
  if (claimed === found && expect === found) return;
  const wanted = expect === claimed ? `it claims ${claimed}` : `${expect} was asked for`;
  throw new CodedError("generation_damaged", `${archive} holds generation ${found}, but ${wanted}.`, {
    hint: "Export the generation anew from a store that verifies it; nothing was imported.",
    fields: { archive, claimed, expected: expect, found, changed: false },
  });
}
