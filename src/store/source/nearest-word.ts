/** Which known word somebody probably meant: the nearest one, where it is near at all. */
export function nearestWord(word: string, known: readonly string[]): string | null {
  let best: string | null = null;
  let bestDistance = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase().slice(0, LONGEST), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** No known word comes near this; a bound on the work that a hostile key can cause. */
const LONGEST = 64;

/** Insertions, deletions and replacements that lead from `a` to `b` (Wagner and Fischer, one row at a time). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, from] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, to] of [...b].entries()) {
      next.push(Math.min(row[j + 1]! + 1, next[j]! + 1, row[j]! + (from === to ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length]!;
}
