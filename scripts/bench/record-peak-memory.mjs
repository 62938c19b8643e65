// Loaded before a program (`node --import`): writes the most memory that the process had resident,
// in KiB, to $BENCH_PEAK_FILE when it ends. Plain JavaScript, so that no type stripping is in it.
import { readFileSync, writeFileSync } from "node:fs";

process.on("exit", () => writeFileSync(process.env.BENCH_PEAK_FILE, String(peakKib())));

function peakKib() {
  try {
    // Linux: rusage would count what the parent had when it started this process.
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))[1]);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}
