/** Who a process is, whether it still lives, and what runs from below a folder. */
export { createSystemProcesses } from "./system-processes.ts";
