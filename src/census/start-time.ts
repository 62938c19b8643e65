/** When a process started, in the system's own units; null if it is gone or only a zombie. */
import { readFileSync } from "node:fs";
import { childProcess } from "../kernel/child-process.ts";
import { systemCode } from "../kernel/errors.ts";

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

function startTimeFromPs(pid: number): string | null {
  try {
    const line = childProcess()
      .execFileSync("/bin/ps", ["-o", "stat=,lstart=", "-p", String(pid)], {
        encoding: "utf8",
      })
      .trim();
    const [state = "", ...started] = line.split(/\s+/);
    return state.startsWith("Z") || started.length === 0 ? null : started.join(" ");
  } catch {
    // ps exits with 1 where no such process exists.
    return null;
  }
}
