export { createSystemProcesses, type SystemProcessesDeps } from "./system-processes.ts";
