import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compareBoots } from "../../src/census/boot.ts";
import { createSystemProcesses } from "../../src/census/index.ts";
import { startTimeOf } from "../../src/census/start-time.ts";

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
    ["the same", "9F2C1A55-0B1C-4E0B-9F55-3C6D3F0A7B10//", "same"],
    ["another", "1D7E0C42-77AA-4B5D-8E33-0A9C5B2F6E21//", "ended"],
  ] as const)("of macOS: %s is %s", (_, recorded, verdict) => {
    expect(compareBoots(recorded, "9F2C1A55-0B1C-4E0B-9F55-3C6D3F0A7B10//")).toBe(verdict);
  });
});

describe("a start time that ps tells", () => {
  it("is one text whatever the reader's time zone and language", (context) => {
    if (!existsSync("/bin/ps")) return context.skip("there is no /bin/ps");
    const { TZ } = process.env;
    try {
      const texts = ["Asia/Tokyo", "America/Lima"].map((zone) => {
        process.env.TZ = zone;
        return startTimeOf(process.pid, "darwin");
      });
      expect(texts[0]).toMatch(/^[A-Z][a-z]{2} [A-Z][a-z]{2} \d+ \d\d:\d\d:\d\d \d{4}$/);
      expect(texts[1]).toBe(texts[0]);
    } finally {
      if (TZ === undefined) delete process.env.TZ;
      else process.env.TZ = TZ;
    }
  });

  it("is none where no such process exists", (context) => {
    if (!existsSync("/bin/ps")) return context.skip("there is no /bin/ps");
    expect(startTimeOf(4_194_304, "darwin")).toBeNull();
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
