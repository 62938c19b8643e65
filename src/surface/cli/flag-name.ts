/** `acceptOwnPaths` → `--accept-own-paths`, as the command line spells it. */
export function flagName(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
