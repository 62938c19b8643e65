/** UUIDs of version 7 (RFC 9562): ids of commands, whose first 48 bits are the time they were made. */
import type { Ids } from "./clock.ts";

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** `now` in milliseconds since the epoch. */
export function uuidV7(now: number, ids: Ids): string {
  const time = now.toString(16).padStart(12, "0");
  const random = ids.hex(10);
  const variant = ((Number.parseInt(random.slice(3, 5), 16) & 0x3f) | 0x80).toString(16);
  return [
    time.slice(0, 8),
    time.slice(8),
    `7${random.slice(0, 3)}`,
    `${variant}${random.slice(5, 7)}`,
    random.slice(7, 19),
  ].join("-");
}

export function isUuidV7(text: string): boolean {
  return UUID_V7.test(text);
}

/** When a UUIDv7 was made, in milliseconds since the epoch. */
export function uuidTimeMs(uuid: string): number {
  return Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
}
