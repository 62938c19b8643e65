/**
 * Cuts a stream of pieces into tar's blocks and the bodies between them. It knows no header: after
 * each block it is told what follows. Content is passed over without being copied.
 */
import { BLOCK_BYTES } from "./tar-header.ts";

export type AfterBlock =
  | { readonly next: "block" }
  /** So many bytes are content and its padding. */
  | { readonly next: "skip"; readonly bytes: number }
  /** So many bytes are an extended header's body, to be handed over as a whole. */
  | { readonly next: "collect"; readonly bytes: number }
  /** The archive has ended; all that comes is behind it. */
  | { readonly next: "trailing" };

export interface TarFramingOptions {
  /** The block is only valid during the call. */
  readonly onBlock: (block: Buffer) => AfterBlock;
  readonly onBody: (body: Buffer) => void;
  readonly onTrailing: (piece: Buffer) => void;
}

export function paddedBytes(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}

export function createTarFraming(options: TarFramingOptions): { write(piece: Buffer): void } {
  const block = Buffer.alloc(BLOCK_BYTES);
  let filled = 0;
  let skipBytes = 0;
  let body: Buffer | null = null;
  let hasEnded = false;

  const takeBlock = (): void => {
    const after = options.onBlock(block);
    if (after.next === "skip") skipBytes = after.bytes;
    if (after.next === "collect") body = Buffer.alloc(after.bytes);
    if (after.next === "trailing") hasEnded = true;
  };

  const takeBody = (whole: Buffer): void => {
    body = null;
    skipBytes = paddedBytes(whole.length) - whole.length;
    options.onBody(whole);
  };

  return {
    write(piece) {
      for (let at = 0; at < piece.length; ) {
        if (hasEnded) return options.onTrailing(piece.subarray(at));
        if (skipBytes > 0) {
          const skipped = Math.min(skipBytes, piece.length - at);
          skipBytes -= skipped;
          at += skipped;
          continue;
        }
        const into: Buffer = body ?? block;
        const taken = piece.copy(into, filled, at);
        at += taken;
        filled += taken;
        if (filled < into.length) continue;
        filled = 0;
        if (body === null) takeBlock();
        else takeBody(into);
      }
    },
  };
}
