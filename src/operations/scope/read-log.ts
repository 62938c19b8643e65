/** The end of an owner's log, across its older files. */
import { readFileSync } from "node:fs";
import { systemCode } from "../../kernel/errors.ts";

/** The last `count` lines, oldest first; null where there is no log. */
export function readLastLines(path: string, count: number): readonly string[] | null {
  const newest = linesOf(path);
  if (newest === null) return null;
  let lines = newest;
  for (let number = 1; lines.length < count; number += 1) {
    const older = linesOf(path.replace(/\.log$/, `.${number}.log`));
    if (older === null) break;
    lines = [...older, ...lines];
  }
  return count === 0 ? [] : lines.slice(-count);
}

function linesOf(path: string): string[] | null {
  try {
    return readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "")) return null;
    throw error;
  }
}
