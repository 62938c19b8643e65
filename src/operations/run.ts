/**
 * run: what it takes to start an entry point of a generation on the generation's own interpreter.
 *
 * Nothing of it comes from PATH or from the caller's Node or loader variables (STORE-4), and the
 * pin is the calling process's: who calls this goes on to replace itself by the program, so that
 * the same process id holds the generation for as long as the program lives.
 */
import { join } from "node:path";
import { CodedError } from "../kernel/errors.ts";
import type { Entrypoints } from "../store/source/generation-file.ts";
import type { OperationContext } from "./operation-context.ts";

export interface RunPlan {
  /** Absolute path of the interpreter. */
  readonly file: string;
  /** Beginning with the interpreter itself, as execve takes it. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface RunInput {
  readonly reference: string;
  /** `cli`, `owner`, `wrapper`, `mcp`, `hooks.<event>`, or a hook's event alone. */
  readonly entry: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Pins and plans. `generation_not_found`, `not_found` (names the entries), `unsupported_node`. */
export function planRun({ store, profile }: OperationContext, input: RunInput): RunPlan {
  const id = store.resolve(input.reference, profile);
  const { path, entrypoints, interpreter, name } = store.show(id);
  const programs = runnableEntries(entrypoints);
  const program = programs.get(input.entry) ?? programs.get(`hooks.${input.entry}`);
  if (program === undefined) {
    const names = [...programs.keys()];
    throw new CodedError("not_found", `Generation ${name} ${id} has no entry point ${input.entry}.`, {
      hint:
        names.length === 0
          ? "It has none at all; stage its source with a recipe that names entry points."
          : `It has ${names.join(", ")}.`,
      fields: { generation: id, entry: input.entry, entries: names },
    });
  }
  if (interpreter === null) {
    throw new CodedError("unsupported_node", `Generation ${name} ${id} carries no interpreter to run on.`, {
      hint: 'Stage it again with a recipe that says "interpreter": "running".',
      fields: { generation: id },
    });
  }
  // After all that may be refused, so that a refusal leaves no pin. What was looked up is still true:
  // the id names the content, and a generation that was collected meanwhile cannot be pinned.
  store.pinForProcess(id, `run ${input.entry}`);
  const file = join(path, interpreter.path);
  return { file, argv: [file, join(path, program), ...input.args], env: withoutLoaderVariables(input.env) };
}

/** The programs among the entry points, by the names that `run` accepts. */
export function runnableEntries(entrypoints: Entrypoints): ReadonlyMap<string, string> {
  const programs = new Map<string, string>();
  for (const name of ["cli", "owner", "wrapper", "mcp"] as const) {
    const path = entrypoints[name];
    if (path !== undefined) programs.set(name, path);
  }
  for (const [event, path] of Object.entries(entrypoints.hooks ?? {})) programs.set(`hooks.${event}`, path);
  return programs;
}

/** `env` without what makes Node or the dynamic loader load code from elsewhere. */
export function withoutLoaderVariables(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (pair): pair is [string, string] => pair[1] !== undefined && !/^(?:NODE_|LD_|DYLD_)/.test(pair[0]),
    ),
  );
}
