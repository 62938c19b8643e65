/**
 * Which folder below `src/` may import which, as data.
 *
 * The order is the design's: knowledge flows up, from the kernel to the surfaces. A type is an
 * import like any other. A folder that is not listed may not exist.
 */

/** Folder → the folders that it may import beside itself. */
export const ALLOWED_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  store: ["kernel"],
  coordinator: ["kernel"],
  client: ["kernel"],
  census: ["kernel"],
  harness: ["kernel"],
  host: ["kernel"],
  gate: ["kernel", "store", "coordinator", "host", "census", "client"],
  dispatch: ["kernel", "store", "coordinator", "harness", "host", "census"],
  worker: ["kernel", "harness", "census", "client"],
  operations: ["kernel", "store", "coordinator", "client", "census", "harness", "host", "gate", "dispatch"],
  owner: [
    "kernel",
    "store",
    "coordinator",
    "client",
    "census",
    "harness",
    "host",
    "gate",
    "dispatch",
    "operations",
  ],
  surface: ["kernel", "operations", "client", "census"],
};

/**
 * Modules whose types, not whose code, `surface` may import: it shows what an operation
 * returns, and that is declared where the store's interface is.
 */
export const SHARED_TYPES: readonly string[] = ["src/store/store.ts"];

/** Files that build the real ports: they alone may join what their folder may not import. */
export const COMPOSITION_ROOTS: readonly string[] = ["src/surface/cli/run-process.ts"];

/**
 * What a start must not load. `from` is where it begins; imports are followed as long as they are
 * static and not of types alone. Each package costs more than the whole rest of a short command.
 */
export const NOT_AT_START: readonly {
  readonly from: string;
  readonly packages: readonly string[];
  readonly because: string;
}[] = [
  {
    from: "src/surface/cli/main.ts",
    packages: ["zod", "execa", "tar", "picomatch", "jsonc-parser", "proper-lockfile", "better-sqlite3"],
    because: "--help may take no more than twice the start of bare Node",
  },
  {
    from: "src/surface/cli/run-process.ts",
    packages: ["zod", "execa", "tar", "picomatch", "jsonc-parser", "proper-lockfile", "better-sqlite3"],
    because: "it is what main.ts loads before it knows the command",
  },
  {
    from: "src/operations/open-store.ts",
    packages: ["zod", "execa", "tar", "picomatch", "jsonc-parser", "proper-lockfile"],
    because: "a query of the store may take no more than four times the start of bare Node",
  },
  {
    from: "src/client/create-client.ts",
    packages: ["zod", "execa", "tar", "picomatch", "jsonc-parser", "proper-lockfile", "better-sqlite3"],
    because: "hooks load the client, and may take no more than half as long again as bare Node",
  },
  {
    from: "src/operations/scope/open-scope.ts",
    packages: ["zod", "execa", "tar", "picomatch", "jsonc-parser", "proper-lockfile", "better-sqlite3"],
    because: "every command of the ledger loads it",
  },
];
