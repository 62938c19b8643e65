/**
 * Which of the user's own processes execute something below a folder: an executable, a script or
 * loader named in argv, or a mapped file. Working directories and plain open files do not count.
 */
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { childProcess } from "../kernel/child-process.ts";
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
    else executing.push(...seen);
  }
  return { executing, unreadable };
}

function ownerOf(pid: number): number | null {
  return readOrNull(() => statSync(`/proc/${pid}`).uid);
}

/** One row for each entry of the folder that the process runs from: it may run from several. */
function inspect(pid: number, folder: string): ExecutingProcess[] | "unreadable" {
  const argv = (readOrNull(() => readFileSync(`/proc/${pid}/cmdline`, "utf8")) ?? "")
    .split("\0")
    .slice(0, -1);
  const executable = readOrNull(() => readlinkSync(`/proc/${pid}/exe`));
  const workingFolder = readOrNull(() => readlinkSync(`/proc/${pid}/cwd`));
  const scripts = argv
    .filter((argument) => argument.includes("/") || argument.includes("."))
    .map((argument) => (workingFolder === null ? argument : resolve(workingFolder, argument)));
  const maps = readOrNull(() => readFileSync(`/proc/${pid}/maps`, "latin1"));
  const named = [...(executable === null ? [] : [executable]), ...scripts];
  const paths = [...named, ...mappedBelow(maps ?? "", folder)].filter((path) =>
    path.startsWith(`${folder}/`),
  );
  // Kernel threads have no executable at all, and a process that ended meanwhile has no folder.
  if (paths.length === 0 && maps === null && argv.length > 0 && ownerOf(pid) !== null) return "unreadable";
  const command = argv.join(" ").slice(0, 200);
  const byEntry = new Map<string, string>();
  for (const path of paths) {
    const entry = entryOf(path, folder);
    if (!byEntry.has(entry)) byEntry.set(entry, path);
  }
  return [...byEntry.values()].map((path) => ({ pid, path, command }));
}

/** The mapped files below a folder, as the kernel names them; `maps` holds one latin1 unit a byte. */
function mappedBelow(maps: string, folder: string): string[] {
  const needle = ` ${Buffer.from(folder).toString("latin1")}/`;
  const paths: string[] = [];
  for (let at = maps.indexOf(needle); at >= 0; at = maps.indexOf(needle, at + 1)) {
    const end = maps.indexOf("\n", at);
    paths.push(Buffer.from(maps.slice(at + 1, end < 0 ? undefined : end), "latin1").toString("utf8"));
  }
  return paths;
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
  const executing = new Map<string, ExecutingProcess>();
  const commands = new Map<number, string>();
  const add = (pid: number, path: string) => {
    const key = `${pid}/${entryOf(path, folder)}`;
    if (!executing.has(key)) executing.set(key, { pid, path, command: commands.get(pid) ?? "" });
  };
  for (const line of run("/bin/ps", ["-U", String(uid), "-o", "pid=,command="]).split("\n")) {
    const match = /^\s*(\d+)\s+(.*)$/.exec(line);
    if (match === null) continue;
    const [pid, command] = [Number(match[1]), match[2] ?? ""];
    commands.set(pid, command.slice(0, 200));
    for (const word of command.split(" ")) if (word.startsWith(`${folder}/`)) add(pid, word);
  }
  let pid = 0;
  const fields = run("/usr/sbin/lsof", ["-w", "-n", "-P", "-a", "-u", String(uid), "-d", "txt", "-Fpn"]);
  for (const field of fields.split("\n")) {
    if (field.startsWith("p")) pid = Number(field.slice(1));
    else if (field.startsWith(`n${folder}/`)) add(pid, field.slice(1));
  }
  return { executing: [...executing.values()], unreadable: [] };
}

/** The entry of `folder` that a path below it belongs to. */
const entryOf = (path: string, folder: string): string => path.slice(folder.length + 1).split("/")[0] ?? "";

function run(program: string, argv: readonly string[]): string {
  return childProcess().execFileSync(program, argv, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
}
