/**
 * launchOwner: starts an owner in a session of its own and waits until it says whether it serves.
 *
 * It says so on a pipe that only it holds: the pipe ends when the process does, however it ends, so
 * nobody has to guess from a time-out. What its interpreter prints goes to a file, since it
 * outlives whoever started it.
 */
import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readFileSync, statSync } from "node:fs";
import type { Readable } from "node:stream";
import type { OwnerDescriptor } from "../../client/client.ts";
import { codedProblem } from "../../client/problem.ts";
import { childProcess } from "../../kernel/child-process.ts";
import { CodedError } from "../../kernel/errors.ts";
import { makeFolders } from "../../kernel/make-folders.ts";
import type { OwnerProgram } from "./owner-control.ts";
import type { ScopeLayout } from "./scope-layout.ts";
import type { ScopePorts } from "./scope-place.ts";

/** Beside stdin, stdout and stderr. */
export const READY_FD = 3;
const READY_WITHIN_MS = 30_000;
const MOST_STDERR_BYTES = 256 * 1024;
/** A stack trace of Node with the error above it. */
const LAST_LINES = 20;

/** Throws why it does not serve: its own refusal, or `owner_unavailable` with its last words. */
export async function launchOwner(
  { file, argv, env }: OwnerProgram,
  layout: ScopeLayout,
  { timers }: ScopePorts,
): Promise<OwnerDescriptor> {
  makeFolders({ mkdirSync, statSync }, layout.logs, 0o700);
  const stderr = openStderr(layout.stderr);
  const child = childProcess().spawn(file, argv.slice(1), {
    // A folder of its own: it must not keep somebody else's from being removed.
    cwd: layout.folder,
    env,
    detached: true,
    stdio: ["ignore", stderr, stderr, "pipe"],
  });
  closeSync(stderr);
  child.unref();
  const ready = child.stdio[READY_FD] as Readable;
  try {
    return await new Promise<OwnerDescriptor>((resolve, reject) => {
      const cancel = timers.after(READY_WITHIN_MS, () => {
        reject(silent("The owner did not say within 30 s that it serves.", layout));
      });
      const settle = (act: () => void) => {
        cancel();
        act();
      };
      let text = "";
      ready.setEncoding("utf8");
      ready.on("data", (piece: string) => {
        text += piece;
        if (text.endsWith("\n")) settle(() => settleBy(text, resolve, reject));
      });
      ready.on("end", () => settle(() => reject(silent("The owner ended while it started.", layout))));
      child.on("error", (cause) => settle(() => reject(notStarted(file, cause))));
    });
  } finally {
    ready.destroy();
  }
}

function settleBy(
  text: string,
  resolve: (owner: OwnerDescriptor) => void,
  reject: (error: unknown) => void,
): void {
  const outcome = JSON.parse(text) as
    | { readonly ready: true; readonly owner: OwnerDescriptor }
    | { readonly ready: false; readonly problem: { readonly status: number } };
  if (outcome.ready) resolve(outcome.owner);
  else reject(codedProblem(outcome.problem, outcome.problem.status));
}

function openStderr(path: string): number {
  const file = openSync(path, "a", 0o600);
  if (fstatSync(file).size > MOST_STDERR_BYTES) ftruncateSync(file, 0);
  return file;
}

function silent(message: string, { stderr }: ScopeLayout): CodedError {
  const lastWords = readFileSync(stderr, "utf8").trim().split("\n").slice(-LAST_LINES).join("\n");
  return new CodedError(
    "owner_unavailable",
    lastWords === "" ? message : `${message} It said: ${lastWords}`,
    {
      hint: `swarm-gen owner logs, and ${stderr}, tell why.`,
      fields: { stderr },
    },
  );
}

function notStarted(file: string, cause: Error): CodedError {
  return new CodedError("owner_unavailable", `${file} could not be started: ${cause.message}.`, { cause });
}
