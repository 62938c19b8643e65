/** When a process started, in the system's own units; null if it is gone or only a zombie. */
import { readFileSync } from "node:fs";
import { childProcess } from "../kernel/child-process.ts";
import { CodedError, systemCode } from "../kernel/errors.ts";

export function startTimeOf(pid: number, platform: NodeJS.Platform): string | null {
  return platform === "darwin" ? startTimeFromPs(pid) : startTimeFromProc(pid);
}

function startTimeFromProc(pid: number): string | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ESRCH") return null;
    throw error;
  }
  // The command's name stands in parentheses and may hold spaces and parentheses itself.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state] = fields;
  return state === "Z" || state === "X" ? null : (fields[19] ?? null);
}

// ps prints local time in the words of the locale; two readers must get the same text.
const PLAIN = { LC_ALL: "C", TZ: "UTC" };

function startTimeFromPs(pid: number): string | null {
  const argv = ["-o", "stat=,lstart=", "-p", String(pid)];
  const { error, status, stdout } = childProcess().spawnSync("/bin/ps", argv, {
    encoding: "utf8",
    env: PLAIN,
  });
  // A ps that could not be started says nothing of the process: to call it dead would release pins.
  if (error !== undefined) throw error;
  const [state = "", ...started] = stdout.trim().split(/\s+/);
  // ps exits with 1, and prints nothing, where no such process exists.
  if (status !== 0 && (status !== 1 || state !== "")) {
    throw new CodedError(
      "store_unavailable",
      `ps ended with ${status} when it was asked for process ${pid}.`,
    );
  }
  return state.startsWith("Z") || started.length === 0 ? null : started.join(" ");
}
