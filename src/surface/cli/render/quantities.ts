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

/** The first 12 digits: a prefix that commands accept as long as it is unique. */
export function shortId(generation: string): string {
  return generation.slice(0, 12);
}
