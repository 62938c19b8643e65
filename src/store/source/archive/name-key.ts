/**
 * The key under which names count as the same: equal where some file system (APFS, HFS+, NTFS, a
 * case-folding ext4) would find one by the other's name. Stricter than each of them, since a tree
 * must mean the same on all.
 */
export function nameKey(path: string): string {
  if (PLAIN.test(path)) return path.toLowerCase();
  // Upper case first, so that "ß" meets "ss"; composed forms are taken apart before and after,
  // since a change of case may compose anew.
  return path.normalize("NFKD").replace(IGNORED, "").toUpperCase().toLowerCase().normalize("NFKD");
}

const PLAIN = /^[\u0020-\u007e]*$/;
/** Code points that HFS+ leaves out of comparisons. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
