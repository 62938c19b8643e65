/**
 * The link `profiles/<name>`: where people find the current tree. Written after the row and never
 * read by swarm-gen, so a crash in between shows people an older tree and breaks nothing.
 */
import { join, relative } from "node:path";
import { CodedError, systemCode } from "../../kernel/errors.ts";
import { currentActivation } from "../index/activations.ts";
import type { Index } from "../index/open-index.ts";
import type { StoreContext } from "../store-context.ts";

/** A profile's name becomes a file's name, so it must be one: `invalid_input`. */
export function requireProfileName(profile: string): void {
  if (/^[a-z0-9][a-z0-9._-]{0,63}$/.test(profile)) return;
  throw new CodedError("invalid_input", `"${profile}" cannot be a profile's name.`, {
    hint: "Use 1 to 64 lower-case letters, digits, . _ - and begin with a letter or digit.",
    fields: { profile, changed: false },
  });
}

/**
 * Points the link at what is current now. Under the index's write lock, since two activations may
 * come here in another order than they were committed in, and a collection removes stray links.
 *
 * The activation stands by then. A link that cannot be written stays as it is until the next
 * activation: to fail here would tell the caller that nothing had happened.
 */
export function writeProfileLink(context: StoreContext, db: Index, profile: string): void {
  try {
    db.transaction(() => replaceLink(context, db, profile)).immediate();
  } catch (error) {
    if (systemCode(error) === null) throw error;
  }
}

function replaceLink({ fs, layout, ids, failpoints }: StoreContext, db: Index, profile: string): void {
  const current = currentActivation(db, profile);
  if (current === null) return;
  const link = layout.profile(profile);
  const target = relative(layout.profiles, layout.generation(current.generation));
  if (currentTarget(fs, link) === target) return;
  const temporary = join(layout.profiles, `.${profile}.${ids.hex(8)}`);
  fs.symlinkSync(target, temporary);
  failpoints.hit("activate:link-made");
  fs.renameSync(temporary, link);
}

function currentTarget(fs: StoreContext["fs"], link: string): string | null {
  return fs.lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink()
    ? fs.readlinkSync(link, "utf8")
    : null;
}
