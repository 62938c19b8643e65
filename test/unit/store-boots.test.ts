import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compareBoots } from "../../src/census/boot.ts";
import { createSystemProcesses } from "../../src/census/index.ts";

const processes = createSystemProcesses({
  platform: process.platform,
  pid: process.pid,
  uid: process.getuid?.() ?? 0,
});

describe("a recorded boot", () => {
  it.each([
    ["the same", "b/pid:[1]/100", "same"],
    ["of another run of the machine", "a/pid:[1]/100", "ended"],
    ["of another run of this container, whose first process is another", "b/pid:[1]/99", "ended"],
    ["of another container on this machine", "b/pid:[2]/100", "unknown"],
    ["of another container before the machine's restart", "a/pid:[2]/100", "ended"],
  ] as const)("%s is %s: %s", (_, recorded, verdict) => {
    expect(compareBoots(recorded, "b/pid:[1]/100")).toBe(verdict);
  });

  it.each([
    ["the same", "{ sec = 5, usec = 6 }//", "same"],
    ["another", "{ sec = 4, usec = 6 }//", "ended"],
  ] as const)("of macOS: %s is %s", (_, recorded, verdict) => {
    expect(compareBoots(recorded, "{ sec = 5, usec = 6 }//")).toBe(verdict);
  });
});

describe("a process's liveness", () => {
  it("is alive for this one, and dead for its number with another start", () => {
    const self = processes.self();
    expect(processes.liveness(self)).toBe("alive");
    expect(processes.liveness({ ...self, startTime: `${self.startTime}0` })).toBe("dead");
  });

  it("is dead for a child that has ended but was not waited for (a zombie)", async (context) => {
    if (process.platform !== "linux") context.skip("reads /proc");
    // Its parent blocks its own event loop right after the start, so it never waits for it.
    const parent = `
      const { pid } = require("node:child_process").spawn("/bin/true");
      require("node:fs").writeSync(1, String(pid));
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`;
    const child = spawn(process.execPath, ["-e", parent]);
    try {
      const pid = Number(String((await once(child.stdout, "data"))[0]));
      const stat = () => readFileSync(`/proc/${pid}/stat`, "latin1");
      let seen = stat();
      while (!/\) Z /.test(seen)) {
        await new Promise((resolve) => setImmediate(resolve));
        seen = stat();
      }
      const startTime = seen.slice(seen.lastIndexOf(")") + 2).split(" ")[19]!;
      expect(processes.liveness({ pid, startTime, boot: processes.self().boot })).toBe("dead");
    } finally {
      child.kill("SIGKILL");
    }
  });
});
