/** Exit codes that no error carries. */

/** Done, with findings that one should read: damage in `verify`, faults in `doctor`. */
export const EXIT_FINDINGS = 6;

/** Ended by a signal: 128 and its number, as shells count. */
export const EXIT_SIGNAL_BASE = 128;
