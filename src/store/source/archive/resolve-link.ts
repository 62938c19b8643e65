/**
 * Where a symbolic link leads, worked out over the names of a tree as the kernel would on disk:
 * part by part, through every other link. Taking "a/up/.." for "a" is the fault that let links
 * climb out of checked trees; here "up" is followed before ".." is taken.
 *
 * `check-links.ts` decides the same for a folder's plan. An archive's links need a bound on the work
 * as well: a million of them can each lead through forty others.
 */
import { foldName } from "../check-names.ts";

export type LinkOutcome = "inside" | "leaves" | "loop" | "too-far";

/** What Linux follows before it answers ELOOP. */
const MOST_LINKS_FOLLOWED = 40;

/**
 * `links` maps the folded path of each link in the tree to its target (on a file system without
 * case, "A/.." goes through the link "a"); `budget` is shared by all links of a
 * tree and is counted down. A target that does not exist counts as a plain name.
 */
export function resolveLink(
  path: string,
  links: ReadonlyMap<string, string>,
  budget: { steps: number },
): LinkOutcome {
  const at = path.split("/");
  // A stack: the next part is the last one.
  const ahead: string[] = [at.pop() ?? ""];
  let followed = 0;
  for (let part = ahead.pop(); part !== undefined; part = ahead.pop()) {
    budget.steps -= 1;
    if (budget.steps < 0) return "too-far";
    if (part === "" || part === ".") continue;
    if (part === "..") {
      if (at.pop() === undefined) return "leaves";
      continue;
    }
    const target = links.get(foldName([...at, part].join("/")));
    if (target === undefined) {
      at.push(part);
      continue;
    }
    followed += 1;
    if (followed > MOST_LINKS_FOLLOWED) return "loop";
    if (target.startsWith("/")) return "leaves";
    ahead.push(...target.split("/").reverse());
  }
  return "inside";
}
