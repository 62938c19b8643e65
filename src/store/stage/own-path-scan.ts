/**
 * Finds absolute paths of its own in a file's content: what still points out of the generation
 * after it was copied, and would run the mutable original instead (STORE-4).
 */

/** How much of a file is looked at in one piece; a path is found across pieces too. */
export const PIECE_BYTES = 1024 * 1024;

/**
 * The first of `ownPaths` that stands in `content` as a whole path; null if none does.
 * `/srv/app` stands in `/srv/app/x` and in `"/srv/app"`, not in `/srv/apple`. Where `isEnd` is
 * false a match at the very end is left for the next piece, since its next byte is not known yet.
 */
export function findOwnPath(content: Buffer, ownPaths: readonly string[], isEnd: boolean): string | null {
  return ownPaths.find((ownPath) => holdsPath(content, Buffer.from(ownPath), isEnd)) ?? null;
}

function holdsPath(content: Buffer, ownPath: Buffer, isEnd: boolean): boolean {
  for (let at = content.indexOf(ownPath); at >= 0; at = content.indexOf(ownPath, at + 1)) {
    const next = content[at + ownPath.length];
    if (next === undefined ? isEnd : !isNameByte(next)) return true;
  }
  return false;
}

function isNameByte(byte: number): boolean {
  return /[\w.\-~+@]/.test(String.fromCharCode(byte)) || byte >= 0x80;
}
