/**
 * The versions of the owner's API, on both sides of it: the oldest and the newest that this program
 * speaks. A client names its range with each request; the owner answers if they overlap.
 */
export const API_VERSIONS: readonly [least: number, newest: number] = [1, 1];

/** `1-1`, as the header `swarm-gen-api` carries it. */
export function apiRangeText([least, newest]: readonly [number, number]): string {
  return `${least}-${newest}`;
}

/** Null for what is no range. */
export function parseApiRange(text: string): readonly [least: number, newest: number] | null {
  const match = /^(\d{1,6})-(\d{1,6})$/.exec(text);
  if (match === null) return null;
  const [least, newest] = [Number(match[1]), Number(match[2])];
  return least <= newest ? [least, newest] : null;
}
