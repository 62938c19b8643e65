/**
 * Which of the user's own processes execute something below a folder: an executable, a script or
 * loader named in argv, or a mapped file. Working directories and plain open files do not count.
 *
 * The system names files by their real paths and argv by whatever path was typed, so both sides
 * are compared by their real paths. What is found is told as a path below the folder as it was
 * asked for. Blind to a script whose process wrote another title over its argv and whose
 * interpreter is not of the folder: for such a process only a pin speaks.
 */
import { readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { childProcess } from "../kernel/child-process.ts";
import type { ExecutingProcess, ExecutionScan } from "../kernel/processes.ts";

export function executingBelow(folder: string, platform: NodeJS.Platform, uid: number): ExecutionScan {
  const real = realPathOf(folder);
  const { executing, unreadable } = platform === "darwin" ? scanWithLsof(real, uid) : scanProc(real, uid);
  const asAsked = ({ path, ...rest }: ExecutingProcess) => ({
    path: `${folder}${path.slice(real.length)}`,
    ...rest,
  });
  return { executing: executing.map(asAsked), unreadable };
}

function realPathOf(path: string): string {
  return readOrNull(() => realpathSync.native(path)) ?? path;
}

function scanProc(folder: string, uid: number): ExecutionScan {
  const executing: ExecutingProcess[] = [];
  const unreadable: number[] = [];
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || !isOwn(pid, uid)) continue;
    const seen = inspect(pid, folder);
    if (seen === "unreadable") unreadable.push(pid);
    else executing.push(...seen);
  }
  return { executing, unreadable };
}

/** A process that may not be looked into (it cannot be dumped) has a folder that is root's. */
function isOwn(pid: number, uid: number): boolean {
  const owner = readOrNull(() => statSync(`/proc/${pid}`).uid);
  if (owner !== 0 || uid === 0) return owner === uid;
  const status = readOrNull(() => readFileSync(`/proc/${pid}/status`, "latin1")) ?? "";
  return Number(/^Uid:\t(\d+)/m.exec(status)?.[1] ?? 0) === uid;
}

/** One row for each entry of the folder that the process runs from: it may run from several. */
function inspect(pid: number, folder: string): ExecutingProcess[] | "unreadable" {
  const argv = (readOrNull(() => readFileSync(`/proc/${pid}/cmdline`, "utf8")) ?? "")
    .split("\0")
    .slice(0, -1);
  const executable = readOrNull(() => readlinkSync(`/proc/${pid}/exe`));
  const workingFolder = readOrNull(() => readlinkSync(`/proc/${pid}/cwd`)) ?? "/";
  const maps = readOrNull(() => readFileSync(`/proc/${pid}/maps`, "latin1"));
  const named = argv.flatMap((argument) => namedBelow(argument, workingFolder, folder));
  const paths = [executable ?? "", ...named, ...mappedBelow(maps ?? "", folder)].filter((path) =>
    path.startsWith(`${folder}/`),
  );
  // Kernel threads have no argv, and a process that ended meanwhile has no folder.
  const isThere = () => readOrNull(() => statSync(`/proc/${pid}`)) !== null;
  if (paths.length === 0 && maps === null && argv.length > 0 && isThere()) return "unreadable";
  const command = argv.join(" ").slice(0, 200);
  const byEntry = new Map<string, string>();
  for (const path of paths) {
    const entry = entryOf(path, folder);
    if (!byEntry.has(entry)) byEntry.set(entry, path);
  }
  return [...byEntry.values()].map((path) => ({ pid, path, command }));
}

/** What an argument names below the folder: by itself, as an option's value, or as a URL. */
function namedBelow(argument: string, workingFolder: string, folder: string): string[] {
  if (!argument.includes("/") && !argument.includes(".")) return [];
  const value = /^-[\w-]*=(.*)$/s.exec(argument)?.[1] ?? argument;
  const path = resolve(workingFolder, value.startsWith("file:///") ? pathOfUrl(value) : value);
  if (path.startsWith(`${folder}/`)) return [path];
  // Through a link, as those in profiles/ are; where it was moved on meanwhile, nothing tells.
  const real = realPathOf(path);
  return real.startsWith(`${folder}/`) ? [real] : [];
}

function pathOfUrl(url: string): string {
  return readOrNull(() => fileURLToPath(url)) ?? "";
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
    for (const word of command.split(" ")) {
      for (const path of namedBelow(word, "/", folder)) add(pid, path);
    }
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
