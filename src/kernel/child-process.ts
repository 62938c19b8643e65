/** Node's child processes, loaded when one is started: most commands start none, and it takes 5 ms. */
export function childProcess(): typeof import("node:child_process") {
  return process.getBuiltinModule("node:child_process");
}
