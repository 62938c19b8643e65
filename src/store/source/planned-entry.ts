/** One entry of a plan, as it is told to who looks at paths and kinds. */
import type { Digest } from "../identity/object-id.ts";

/** `path` is relative to the generation's root, "/"-separated; no path stands twice. */
export type PlannedEntry =
  | {
      readonly kind: "file";
      readonly path: string;
      readonly executable: boolean;
      /** Absolute path of the source file. */
      readonly from: string;
      readonly size: number;
    }
  | {
      readonly kind: "bytes";
      readonly path: string;
      readonly executable: boolean;
      readonly bytes: Uint8Array;
    }
  | { readonly kind: "link"; readonly path: string; readonly target: string }
  /** A folder that is empty; all others follow from the paths. */
  | { readonly kind: "folder"; readonly path: string }
  /** Content that the store holds already, from a build that it remembers. */
  | {
      readonly kind: "blob";
      readonly path: string;
      readonly executable: boolean;
      readonly digest: Digest;
      readonly size: number;
    };
