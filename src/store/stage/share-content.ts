/** Placeholder header; see below. */
export type ImportMethod = "reflink" | "hardlink" | "copy";
