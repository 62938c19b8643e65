/**
 * One line on stderr that says how far a long step is; rewritten in place, gone at the end.
 * Drawn when the operation reports, at most ten times a second by the given clock; no timer runs.
 */
import type { Clock } from "../../../kernel/clock.ts";
import type { StageProgress } from "../../../store/store.ts";
import { sizeText } from "./quantities.ts";

export interface ProgressLine {
  report(progress: StageProgress): void;
  clear(): void;
}

const REDRAW_MS = 100;
const CLEAR = "\r\u001b[K";

export function createProgressLine(deps: {
  readonly clock: Clock;
  readonly columns: number;
  readonly write: (text: string) => void;
}): ProgressLine {
  const { clock, columns, write } = deps;
  let drawnAt = Number.NEGATIVE_INFINITY;
  let step: { readonly name: string; readonly startedAt: number } | null = null;
  let isDrawn = false;
  return {
    report(progress) {
      const now = clock.now();
      const isNewStep = progress.step !== step?.name;
      if (isNewStep) step = { name: progress.step, startedAt: now };
      // Within REDRAW_MS either way: a wall clock that was set back must not freeze the line.
      if (!isNewStep && Math.abs(now - drawnAt) < REDRAW_MS) return;
      drawnAt = now;
      isDrawn = true;
      const text = progressText(progress, now - (step?.startedAt ?? now));
      write(`${CLEAR}${text.slice(0, Math.max(columns - 1, 20))}`);
    },
    clear() {
      if (isDrawn) write(CLEAR);
      isDrawn = false;
    },
  };
}

const STEPS: Readonly<Record<StageProgress["step"], string>> = {
  build: "building dependencies",
  walk: "looking at the source",
  digest: "reading",
  flush: "flushing to disk",
  publish: "publishing",
  remove: "removing contents",
  sweep: "removing trees",
};

/** `reading  120 of 34,074 files  1.2 MB of 583 MB  310 MB/s`. */
export function progressText(progress: StageProgress, elapsedMs: number): string {
  const { filesDone, filesTotal, bytesDone, bytesTotal } = progress;
  const parts = [STEPS[progress.step]];
  if (filesTotal > 0) {
    parts.push(`${filesDone.toLocaleString("en-US")} of ${filesTotal.toLocaleString("en-US")} files`);
  } else if (filesDone > 0) parts.push(`${filesDone.toLocaleString("en-US")} files`);
  if (bytesTotal > 0) parts.push(`${sizeText(bytesDone)} of ${sizeText(bytesTotal)}`);
  if (bytesDone > 0 && elapsedMs >= 500) parts.push(`${sizeText((bytesDone / elapsedMs) * 1000)}/s`);
  return parts.join("  ");
}
