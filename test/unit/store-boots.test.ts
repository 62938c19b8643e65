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
    // The outer shell becomes another program, which never waits for the inner one; then that ends.
    const child = spawn("/bin/sh", ["-c", "sh -c 'read line' <&0 & echo $!; exec sleep 600"]);
    const settled = async (path: string, isSettled: (text: string) => boolean) => {
      for (;;) {
        const text = readFileSync(path, "latin1");
        if (isSettled(text)) return text;
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    try {
      const pid = Number(String((await once(child.stdout, "data"))[0]).trim());
      await settled(`/proc/${child.pid}/comm`, (name) => name === "sleep\n");
      child.stdin.write("\n");
      const seen = await settled(`/proc/${pid}/stat`, (stat) => /\) Z /.test(stat));
      const startTime = seen.slice(seen.lastIndexOf(")") + 2).split(" ")[19]!;
      expect(processes.liveness({ pid, startTime, boot: processes.self().boot })).toBe("dead");
    } finally {
      child.kill("SIGKILL");
    }
  });
});
