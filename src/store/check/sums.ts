/** The plain SHA-256 of every file of a generation, each content proven against its listing first. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { CodedError } from "../../kernel/errors.ts";
import { blobHasher, type GenerationId } from "../identity/object-id.ts";
import { readEntries } from "../list-files.ts";
import { readOrDamaged } from "../show.ts";
import type { StoreContext } from "../store-context.ts";

const PIECE_BYTES = 1024 * 1024;

export function sums(
  context: StoreContext,
  id: GenerationId,
): { readonly path: string; readonly sha256: string }[] {
  const { fs, layout } = context;
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  return readEntries(context, id).flatMap((entry) => {
    if (entry.kind !== "file") return [];
    const { path, size, digest } = entry;
    const plain = createHash("sha256");
    const proof = blobHasher(size);
    const descriptor = readOrDamaged(id, () => fs.openSync(join(layout.generation(id), path), "r"));
    try {
      for (let read = -1; read !== 0; ) {
        read = fs.readSync(descriptor, piece, 0, piece.length, null);
        plain.update(piece.subarray(0, read));
        proof.update(piece.subarray(0, read));
      }
    } finally {
      fs.closeSync(descriptor);
    }
    if (proof.digest() === digest) return [{ path, sha256: plain.digest("hex") }];
    throw new CodedError("generation_damaged", `${path} of generation ${id} is not what its listing says.`, {
      hint: `swarm-gen verify ${id} lists all damage; swarm-gen repair ${id} mends it.`,
      fields: { generation: id, path, expected: digest },
    });
  });
}
