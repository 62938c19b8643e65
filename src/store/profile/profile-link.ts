/**
 * The link `profiles/<name>`: where people find the current tree. Written after the row and never
 * read by swarm-gen, so a crash in between shows people an older tree and breaks nothing.
 */
import { join, relative } from "node:path";
import { CodedError } from "../../kernel/errors.ts";
import type { GenerationId } from "../identity/object-id.ts";
import type { StoreContext } from "../store-context.ts";

/** A profile's name becomes a file's name, so it must be one: `invalid_input`. */
export function requireProfileName(profile: string): void {
  if (/^[a-z0-9][a-z0-9._-]{0,63}$/.test(profile)) return;
  throw new CodedError("invalid_input", `"${profile}" cannot be a profile's name.`, {
    hint: "Use 1 to 64 lower-case letters, digits, . _ - and begin with a letter or digit.",
    fields: { profile, changed: false },
  });
}

export function writeProfileLink(
  { fs, layout, ids }: StoreContext,
  profile: string,
  generation: GenerationId,
): void {
  const link = layout.profile(profile);
  const target = relative(layout.profiles, layout.generation(generation));
  if (currentTarget(fs, link) === target) return;
  const temporary = join(layout.profiles, `.${profile}.${ids.hex(8)}`);
  fs.symlinkSync(target, temporary);
  fs.renameSync(temporary, link);
}

function currentTarget(fs: StoreContext["fs"], link: string): string | null {
  return fs.lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink()
    ? fs.readlinkSync(link, "utf8")
    : null;
}
