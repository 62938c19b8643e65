/** Builds what the command line needs from the real process; the only place beside main.ts that touches it. */
import type { Ids } from "../../kernel/clock.ts";
import { CodedError } from "../../kernel/errors.ts";
import type { Timers } from "../../kernel/timers.ts";
import type { CliHost, Output } from "./call.ts";
import { EXIT_SIGNAL_BASE } from "./exit-codes.ts";
import { runCli } from "./run-cli.ts";

const PACKAGE_FILE = new URL("../../../package.json", import.meta.url);

/** Sets the exit code and returns; the process ends once its output is written. */
export async function runProcess(process: NodeJS.Process): Promise<void> {
  endQuietlyWithoutReader(process);
  const clock = { now: () => Date.now() };
  const uid = process.getuid?.() ?? -1;
  const { platform, pid } = process;
  process.exitCode = await runCli({
    argv: process.argv.slice(2),
    version: () =>
      (JSON.parse(fileSystem(process).readFileSync(PACKAGE_FILE, "utf8")) as { version: string }).version,
    env: process.env,
    cwd: () => workingFolder(process),
    userName: () => userName(process, uid),
    clock,
    stdout: outputOf(process.stdout),
    stderr: outputOf(process.stderr),
    ...watchSignals(process),
    async openStore(root) {
      const { openStore } = await import("../../operations/open-store.ts");
      return openStore({ root, clock, ids: randomIds(process), pid, uid, running: process, pause });
    },
    async inspect() {
      const { createHostInspection } = await import("../../operations/host-inspection.ts");
      const { describeIndex } = await import("../../store/index/describe-index.ts");
      return createHostInspection({
        fs: fileSystem(process),
        ids: randomIds(process),
        describeIndex,
        platform,
        architecture: process.arch,
        nodeVersion: process.versions.node,
        nodePath: process.execPath,
        uid,
        searchPath: process.env.PATH ?? "",
      });
    },
    scopePorts: () => scopePorts(process),
    ...filePorts(process),
    exec: (file, argv, env) => replaceProcess(process, file, argv, env),
  });
}

function scopePorts(process: NodeJS.Process): ReturnType<CliHost["scopePorts"]> {
  const { env, pid, execPath, platform } = process;
  return {
    clock: { now: () => Date.now() },
    ids: randomIds(process),
    timers: systemTimers(),
    env,
    uid: process.getuid?.() ?? -1,
    pid,
    running: { execPath, platform },
  };
}

function filePorts(process: NodeJS.Process): Pick<CliHost, "readText" | "makePrivateFile" | "removeFile"> {
  return {
    readText: (path) => fileSystem(process).readFileSync(path, "utf8"),
    makePrivateFile(path, text) {
      const fs = fileSystem(process);
      const file = fs.openSync(path, "wx", 0o600);
      try {
        fs.writeFileSync(file, text);
        fs.fsyncSync(file);
      } finally {
        fs.closeSync(file);
      }
    },
    removeFile: (path) => fileSystem(process).rmSync(path, { force: true }),
  };
}

// Taken when needed: an import of node:fs alone takes longer than printing --help does.
function fileSystem(process: NodeJS.Process) {
  return process.getBuiltinModule("node:fs");
}

// node:crypto takes as long to load as all of --help, so it waits until an id is needed.
function randomIds(process: NodeJS.Process): Ids {
  return { hex: (bytes) => process.getBuiltinModule("node:crypto").randomBytes(bytes).toString("hex") };
}

function outputOf(stream: NodeJS.WriteStream): Output {
  return {
    isTerminal: stream.isTTY === true,
    columns: stream.columns || 80,
    async write(piece) {
      if (!stream.write(piece)) await new Promise<void>((resolve) => stream.once("drain", resolve));
    },
  };
}

// `swarm-gen ls | head -1`: the reader has what it wanted; that is no error.
function endQuietlyWithoutReader(process: NodeJS.Process): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit();
    const code = error.code === "ENOSPC" || error.code === "EDQUOT" ? "disk_full" : "store_unavailable";
    const { exitCode, message, hint } = new CodedError(code, `stdout cannot be written: ${error.code}.`, {
      hint: "Send it elsewhere, then run the command again.",
    });
    process.stderr.write(`error[${code}]: ${message}\nhint: ${hint}\n`);
    process.exit(exitCode);
  });
  // With stderr gone there is nobody left to tell.
  process.stderr.on("error", () => {});
}

const GRACE_MS = 3000;

/**
 * The first signal asks the operation to stop where it is safe, and to clean up; the second, or
 * the end of a grace time, ends the process. The store is left right either way: what is not
 * published is swept by the next collection.
 */
function watchSignals(process: NodeJS.Process): Pick<CliHost, "interruptedBy" | "interruption"> {
  let received: number | null = null;
  const interruption = new AbortController();
  for (const [name, number] of [
    ["SIGINT", 2],
    ["SIGTERM", 15],
  ] as const) {
    process.on(name, () => {
      if (received !== null) process.exit(EXIT_SIGNAL_BASE + received);
      received = number;
      interruption.abort();
      setTimeout(() => process.exit(EXIT_SIGNAL_BASE + number), GRACE_MS).unref();
    });
  }
  return { interruptedBy: () => received, interruption: interruption.signal };
}

function systemTimers(): Timers {
  return {
    monotonicNow: () => performance.now(),
    after(ms, callback) {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function workingFolder(process: NodeJS.Process): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new CodedError("invalid_input", "The current folder does not exist any more.", {
      hint: "Change to a folder that exists, then run the command again.",
      cause,
    });
  }
}

function userName(process: NodeJS.Process, uid: number): string {
  try {
    return process.getBuiltinModule("node:os").userInfo().username;
  } catch {
    // A container may run under a number that no account has.
    return `uid ${uid}`;
  }
}

function replaceProcess(
  process: NodeJS.Process,
  file: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
): never {
  const fs = fileSystem(process);
  // Checked before, since a failing execve ends the process without a word to catch.
  try {
    fs.accessSync(file, fs.constants.X_OK);
    fs.accessSync(argv[1] ?? file, fs.constants.R_OK);
  } catch (cause) {
    throw new CodedError("generation_damaged", `${file} or ${argv[1]} is missing from its generation.`, {
      cause,
    });
  }
  // Node warns that execve is experimental; nothing of it concerns the program that is started.
  process.removeAllListeners("warning");
  process.execve?.(file, [...argv], { ...env });
  throw new CodedError(
    "unsupported_node",
    `Node ${process.versions.node} cannot replace itself by a program.`,
    {
      hint: "Use Node 22.19 or newer.",
    },
  );
}
