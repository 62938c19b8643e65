/**
 * The program behind `swarm-gen`, and the `cli` entry point of a generation: turns on the compile
 * cache, then builds the real process, clock, ids and store, and runs the command line.
 *
 * Everything else is imported after the cache is on; without it, compiling takes as long as the
 * rest of a short command. A failure of the cache (a confined process, a full disk) costs speed
 * only.
 */
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { makeFolders } from "../../kernel/make-folders.ts";
import { homeFolders } from "../../operations/home.ts";

cacheCompiledCode();
// No top-level await: bin/start.cjs requires this module, which may then not wait.
void import("./run-process.ts").then(({ runProcess }) => runProcess(process));

function cacheCompiledCode(): void {
  try {
    const folder = join(homeFolders(process.env).cache, "compiled");
    // Made here, since Node's own way of making it may never end.
    makeFolders(process.getBuiltinModule("node:fs"), folder, 0o700);
    enableCompileCache(folder);
  } catch {
    // No home, no cache; the command itself says what is wrong with the home, if it needs one.
  }
}
