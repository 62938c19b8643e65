/** The processes of this machine, as the store and the gate ask about them. */

import { invariant } from "../kernel/errors.ts";
import type { Processes } from "../kernel/processes.ts";
import { compareBoots, readBoot } from "./boot.ts";
import { executingBelow } from "./executing-below.ts";
import { startTimeOf } from "./start-time.ts";

export interface SystemProcessesDeps {
  readonly platform: NodeJS.Platform;
  readonly pid: number;
  readonly uid: number;
}

export function createSystemProcesses({ platform, pid, uid }: SystemProcessesDeps): Processes {
  let boot: string | null = null;
  const currentBoot = () => {
    boot ??= readBoot(platform);
    return boot;
  };
  return {
    self() {
      const startTime = startTimeOf(pid, platform);
      invariant(startTime !== null, "a running process has a start time");
      return { pid, startTime, boot: currentBoot() };
    },
    liveness(identity) {
      const boots = compareBoots(identity.boot, currentBoot());
      if (boots !== "same") return boots === "ended" ? "dead" : "unknown";
      return startTimeOf(identity.pid, platform) === identity.startTime ? "alive" : "dead";
    },
    executingBelow: (folder) => executingBelow(folder, platform, uid),
  };
}
