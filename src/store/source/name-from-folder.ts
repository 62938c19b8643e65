/** A runtime's name made of a folder's; `runtime` where nothing of it is left. */
import { basename } from "node:path";

export function nameFromFolder(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[^a-z0-9]+/, "")
    .slice(0, 64);
  return name === "" ? "runtime" : name;
}
