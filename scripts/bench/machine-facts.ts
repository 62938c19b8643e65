/** What the figures depend on: the machine, its file system, and the versions of what is compared. */
import { spawnSync } from "node:child_process";
import { availableParallelism, cpus, loadavg, release, totalmem, type } from "node:os";
import { nixVersion } from "./nix-store.ts";

export interface MachineFacts {
  readonly cores: string;
  readonly memory: string;
  readonly kernel: string;
  readonly "file system": string;
  readonly user: string;
  readonly node: string;
  readonly nix: string;
  /** The average of one minute when the run began. */
  readonly load: number;
}

export function machineFacts(folder: string): MachineFacts {
  const load = Math.round((loadavg()[0] ?? 0) * 100) / 100;
  return {
    cores: `${availableParallelism()} (${cpus()[0]?.model.trim() || "model unknown"})`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    kernel: `${type()} ${release()}`,
    "file system": fileSystemOf(folder),
    user: process.getuid?.() === 0 ? "root" : "not root",
    node: process.version,
    nix: nixVersion() ?? "missing",
    load,
  };
}

function fileSystemOf(folder: string): string {
  // The first form is GNU's, the second what POSIX leaves of it: device and size, but no type.
  const { status, stdout } = spawnSync("df", ["--output=fstype", folder], { encoding: "utf8" });
  return status === 0 ? (stdout.trim().split("\n").at(-1) ?? "unknown") : "unknown";
}
