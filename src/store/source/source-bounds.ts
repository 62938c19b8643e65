/**
 * The bounds on one source. They are far above real runtimes, and there so that a source that
 * never ends (a loop of mounts, a sparse giant) becomes a finding and not a full disk.
 */
export interface SourceBounds {
  /** Files, links and folders together. */
  readonly entries: number;
  /** Nested folders. */
  readonly depth: number;
  /** Of one path inside the tree, in bytes of UTF-8; macOS resolves no more than this. */
  readonly pathBytes: number;
  /** The sum of all files' sizes. */
  readonly sizeBytes: number;
}

export const SOURCE_BOUNDS: SourceBounds = {
  entries: 1_000_000,
  depth: 128,
  pathBytes: 1_000,
  sizeBytes: 64 * 1024 ** 3,
};
