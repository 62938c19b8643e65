/**
 * Which of the user's own processes execute something below a folder: an executable, a script or
 * loader named in argv, or a mapped file. Working directories and plain open files do not count.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { ExecutingProcess, ExecutionScan } from "../kernel/processes.ts";

export function executingBelow(folder: string, platform: NodeJS.Platform, uid: number): ExecutionScan {
  return platform === "darwin" ? scanWithLsof(folder, uid) : scanProc(folder, uid);
}

function scanProc(folder: string, uid: number): ExecutionScan {
  const executing: ExecutingProcess[] = [];
  const unreadable: number[] = [];
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || ownerOf(pid) !== uid) continue;
    const seen = inspect(pid, folder);
    if (seen === "unreadable") unreadable.push(pid);
    else if (seen !== null) executing.push(seen);
  }
  return { executing, unreadable };
}

function ownerOf(pid: number): number | null {
  return readOrNull(() => statSync(`/proc/${pid}`).uid);
}

function inspect(pid: number, folder: string): ExecutingProcess | "unreadable" | null {
  const argv = (readOrNull(() => readFileSync(`/proc/${pid}/cmdline`, "utf8")) ?? "")
    .split("\0")
    .slice(0, -1);
  const command = argv.join(" ").slice(0, 200);
  const below = (path: string) => path.startsWith(`${folder}/`);
  const executable = readOrNull(() => readlinkSync(`/proc/${pid}/exe`));
  if (executable !== null && below(executable)) return { pid, path: executable, command };
  const workingFolder = readOrNull(() => readlinkSync(`/proc/${pid}/cwd`));
  for (const argument of argv) {
    const path = workingFolder === null ? argument : resolve(workingFolder, argument);
    if ((argument.includes("/") || argument.includes(".")) && below(path)) return { pid, path, command };
  }
  const maps = readOrNull(() => readFileSync(`/proc/${pid}/maps`, "latin1"));
  if (maps === null) {
    // Kernel threads have no executable at all, and a process that ended meanwhile has no folder.
    return argv.length > 0 && ownerOf(pid) !== null ? "unreadable" : null;
  }
  const at = maps.indexOf(`${Buffer.from(folder).toString("latin1")}/`);
  if (at < 0) return null;
  const line = Buffer.from(maps.slice(at, maps.indexOf("\n", at)), "latin1").toString("utf8");
  return { pid, path: line, command };
}

function readOrNull<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch {
    // Gone, or not ours to look at; the caller tells the two apart.
    return null;
  }
}

function scanWithLsof(folder: string, uid: number): ExecutionScan {
  const executing = new Map<number, ExecutingProcess>();
  const commands = new Map<number, string>();
  for (const line of run("/bin/ps", ["-U", String(uid), "-o", "pid=,command="]).split("\n")) {
    const match = /^\s*(\d+)\s+(.*)$/.exec(line);
    if (match === null) continue;
    const [pid, command] = [Number(match[1]), match[2] ?? ""];
    commands.set(pid, command.slice(0, 200));
    const at = command.indexOf(`${folder}/`);
    if (at >= 0)
      executing.set(pid, {
        pid,
        path: command.slice(at).split(" ")[0] ?? "",
        command: command.slice(0, 200),
      });
  }
  let pid = 0;
  for (const field of run("/usr/sbin/lsof", [
    "-w",
    "-n",
    "-P",
    "-a",
    "-u",
    String(uid),
    "-d",
    "txt",
    "-Fpn",
  ]).split("\n")) {
    if (field.startsWith("p")) pid = Number(field.slice(1));
    else if (field.startsWith(`n${folder}/`) && !executing.has(pid)) {
      executing.set(pid, { pid, path: field.slice(1), command: commands.get(pid) ?? "" });
    }
  }
  return { executing: [...executing.values()], unreadable: [] };
}

function run(program: string, argv: readonly string[]): string {
  return execFileSync(program, argv, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
}
