/**
 * Runs one command line from its words to its exit code. All printing of the CLI happens here:
 * data goes to stdout, everything for people beside it to stderr.
 */
import { homeFolders } from "../../operations/home.ts";
import type { OperationContext } from "../../operations/operation-context.ts";
import type { StageProgress, Store } from "../../store/store.ts";
import type { Answer, Call, CliHost } from "./call.ts";
import type { CommonFlags } from "./command-spec.ts";
import { DEFAULT_PROFILE } from "./common-flags.ts";
import { EXIT_SIGNAL_BASE } from "./exit-codes.ts";
import { asksForJson, type CommandLine, parseCommandLine } from "./parse-command-line.ts";
import { cleanJson, cleanLines } from "./render/clean-text.ts";
import { createProgressLine, type ProgressLine } from "./render/progress-line.ts";
import { createStyle, wantsColour } from "./render/style.ts";

/** Resolves to the exit code; rejects only for a bug in this module. */
export async function runCli(host: CliHost): Promise<number> {
  const progress = createProgressLine({
    clock: host.clock,
    columns: host.stderr.columns,
    write: (text) => void host.stderr.write(text),
  });
  try {
    const line = await parseCommandLine(host.argv, host.version);
    if (line.kind === "text") {
      await host.stdout.write(line.text);
      return 0;
    }
    return await runCommand(host, line, progress);
  } catch (error) {
    progress.clear();
    // Whatever fails after a signal, fails because of it: npm, for one, gets Ctrl+C as well.
    const signal = host.interruptedBy();
    if (signal !== null) {
      await host.stderr.write("interrupted\n");
      return EXIT_SIGNAL_BASE + signal;
    }
    return await printError(host, error);
  }
}

async function runCommand(
  host: CliHost,
  { command, flags, args }: Extract<CommandLine, { kind: "call" }>,
  progress: ProgressLine,
): Promise<number> {
  const { run } = await command.load();
  const opened: { store: Store | null } = { store: null };
  const call = createCall(host, { flags, args }, progress, opened);
  try {
    const answer = await run(call);
    progress.clear();
    await printAnswer(host, answer, flags.json === true);
    return answer.exitCode ?? 0;
  } finally {
    opened.store?.close();
  }
}

function createCall(
  host: CliHost,
  {
    flags,
    args,
  }: { readonly flags: CommonFlags & { readonly quiet?: boolean }; readonly args: readonly string[] },
  progress: ProgressLine,
  opened: { store: Store | null },
): Call {
  const profile = flags.profile ?? DEFAULT_PROFILE;
  const showsProgress = host.stderr.isTerminal && flags.quiet !== true;
  const onProgress = (step: StageProgress): void => {
    if (showsProgress) progress.report(step);
  };
  const folders = () => homeFolders(host.env);
  return {
    flags,
    args,
    host,
    profile,
    folders,
    async context(): Promise<OperationContext> {
      opened.store ??= await host.openStore(folders().store);
      const { clock, interruption: signal } = host;
      return { store: opened.store, profile, by: host.userName(), clock, onProgress, signal };
    },
    closeStore() {
      opened.store?.close();
      opened.store = null;
    },
  };
}

async function printAnswer(host: CliHost, answer: Answer, asJson: boolean): Promise<void> {
  const { stdout, stderr, env } = host;
  if (asJson && answer.output !== undefined) {
    await stdout.write(cleanJson(`${JSON.stringify(answer.output, null, 2)}\n`));
  } else if (!asJson && answer.text !== undefined) {
    const text = answer.text(createStyle(wantsColour(env, stdout.isTerminal)));
    if (text !== "")
      await stdout.write(`${answer.verbatim === true && stdout.isTerminal ? cleanLines(text) : text}\n`);
  }
  for (const note of answer.notes ?? []) await stderr.write(`${cleanLines(note)}\n`);
}

async function printError(host: CliHost, error: unknown): Promise<number> {
  const { reportError } = await import("./report-error.ts");
  const style = createStyle(wantsColour(host.env, host.stderr.isTerminal));
  const { exitCode, json, text } = reportError(error, style, host.env.SWARM_GEN_DEBUG === "1");
  if (asksForJson(host.argv)) await host.stdout.write(json);
  else await host.stderr.write(text);
  return exitCode;
}
