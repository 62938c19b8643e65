/** Sizes, times and ids as people read them. `--json` has them all in full. */

/** `1.5 MB`: decimal units, as disks and `ls --si` count. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  let value = bytes;
  let unit = "B";
  for (const next of ["kB", "MB", "GB", "TB", "PB"]) {
    // Rounding up to 1000 belongs to the next unit: never "1000 kB".
    if (value < 999.5) break;
    value /= 1000;
    unit = next;
  }
  return `${value < 9.95 ? value.toFixed(1) : value.toFixed(0)} ${unit}`;
}

export function countText(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}

export function durationText(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** `2026-01-31 12:00`, UTC, from an ISO 8601 instant. */
export function instantText(iso: string): string {
  return iso.slice(0, 16).replace("T", " ");
}

/** `2026-01-31 12:00:05`, UTC: for what happens within minutes. */
export function secondText(iso: string): string {
  return iso.slice(0, 19).replace("T", " ");
}

const UNITS: readonly (readonly [ms: number, unit: string])[] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "m"],
  [1000, "s"],
];

/** A term as it is typed, exactly: `90s`, `15m`, `30d`. */
export function termText(milliseconds: number): string {
  const fitting = UNITS.find(([ms]) => milliseconds > 0 && milliseconds % ms === 0);
  return fitting === undefined ? `${milliseconds}ms` : `${milliseconds / fitting[0]}${fitting[1]}`;
}

/** How long ago, or how long until then: `4 min`, `2 h`, `3 d`. */
export function spanText(milliseconds: number): string {
  const seconds = Math.round(Math.abs(milliseconds) / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`;
}

/** The first 12 digits: a prefix that commands accept as long as it is unique. */
export function shortId(generation: string): string {
  return generation.slice(0, 12);
}
