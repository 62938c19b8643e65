/**
 * The content-addressed store as a library: `createStore(deps)` and what it takes and gives.
 *
 * It knows no terminal, no home folder and no environment; its ports are passed in.
 */
export { createStore } from "./create-store.ts";
export type { FileSystem } from "./file-system.ts";
export { createNodeFileSystem } from "./node-file-system.ts";
export type * from "./store.ts";
export type { StoreDeps } from "./store-context.ts";
