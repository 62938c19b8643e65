/**
 * The link `profiles/<name>`: where people find the current tree. Written after the row and never
 * read by swarm-gen, so a crash in between shows people an older tree and breaks nothing.
 */
import { join, relative } from "node:path";
import type { GenerationId } from "../identity/object-id.ts";
import type { StoreContext } from "../store-context.ts";

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
