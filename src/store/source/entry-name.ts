/**
 * Which names an entry of a generation may have: those that every file system of ours and Git
 * hold without a second meaning.
 *
 * Git refuses ".git" in a tree, in any case and also in the forms that some file system would take
 * for it. A tree with such a name would have an id that `git` cannot recompute (STORE-1).
 */

/** Why `name`, one part of a path, cannot be taken; null where it can. */
export function nameProblem(name: string): string | null {
  if (PLAIN.test(name) && name.charCodeAt(0) !== DOT) return SHORT_GIT.test(name) ? GIT : null;
  if (name === "" || name === "." || name === "..") return "not a name";
  if (CONTROL.test(name)) return "holds a control character";
  if (name.includes("\\")) return "holds a backslash";
  if (name.includes("/")) return "holds a slash";
  if (Buffer.byteLength(name) > NAME_BYTES) return `is longer than ${NAME_BYTES} bytes`;
  if (LONE_SURROGATE.test(name)) return "is not valid Unicode";
  return isGitsOwn(name) ? GIT : null;
}

/** Whether some file system or Git takes `name` for ".git". */
export function isGitsOwn(name: string): boolean {
  const seen = name.replace(HFS_IGNORED, "").replace(/[. ]+$/, "");
  return /^\.git(:.*)?$/i.test(seen) || SHORT_GIT.test(name);
}

/** The name with everything that a terminal would act on escaped. */
export function shownName(name: string): string {
  return name.replace(CONTROL_ALL, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

const PLAIN = /^[\w.@+-]{1,200}$/;
const DOT = 0x2e;
const GIT = "is Git's own name";
const NAME_BYTES = 255;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
const CONTROL_ALL = new RegExp(CONTROL.source, "g");
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
/** The code points that HFS+ leaves out of a comparison of names. */
const HFS_IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
/** What NTFS would call ".git" in its short form; Git refuses it everywhere. */
const SHORT_GIT = /^git~1[. ]*$/i;
