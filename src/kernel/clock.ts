/** The wall clock and the source of random names, passed in so that tests decide both. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export interface Ids {
  /** `bytes` random bytes in lower-case hex. */
  hex(bytes: number): string;
}
