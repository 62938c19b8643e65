/**
 * The boot: what tells one run of a machine or container from another.
 *
 *   Linux  "<boot id>/<pid name space>/<start of pid 1>"
 *   macOS  "<kern.bootsessionuuid>//"
 *
 * A pid means something only within one boot and one name space of pids. Never kern.boottime: it
 * moves when the clock is set, and its text depends on the reader's time zone.
 */
import { readFileSync, readlinkSync } from "node:fs";
import { childProcess } from "../kernel/child-process.ts";
import { startTimeOf } from "./start-time.ts";

export function readBoot(platform: NodeJS.Platform): string {
  if (platform === "darwin") {
    const argv = ["-n", "kern.bootsessionuuid"];
    return `${childProcess().execFileSync("/usr/sbin/sysctl", argv, { encoding: "utf8" }).trim()}//`;
  }
  const bootId = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return `${bootId}/${readlinkSync("/proc/self/ns/pid")}/${startTimeOf(1, platform) ?? ""}`;
}

/**
 * Whether a recorded boot is this one. Another name space on the same machine is `unknown`: its
 * processes cannot be seen from here, so nothing proves that they ended.
 */
export function compareBoots(recorded: string, current: string): "same" | "ended" | "unknown" {
  if (recorded === current) return "same";
  const [recordedId, recordedSpace] = recorded.split("/");
  const [currentId, currentSpace] = current.split("/");
  if (recordedId !== currentId) return "ended";
  return recordedSpace === currentSpace ? "ended" : "unknown";
}
