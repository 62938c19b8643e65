/**
 * The one modification time of everything in the store and in exported archives, in seconds since
 * the epoch: 2 January 1980. Not before 1980, since zip cannot say so, and a day later, so that
 * no time zone shows an earlier year.
 */
export const FIXED_MTIME_S = 315_619_200;
