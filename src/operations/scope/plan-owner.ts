/**
 * planOwner: which program is to be a scope's owner.
 *
 * The generation that the scope's row in the index names, else the profile's current one. Where
 * nothing is activated, or what is activated holds no owner, the build that this code is of.
 * Everything is an absolute path, and the environment is made from a list of what may be in it:
 * an owner outlives the terminal, the agent and the launch that happened to start it.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { CodedError } from "../../kernel/errors.ts";
import type { GenerationId } from "../../store/identity/object-id.ts";
import type { Store } from "../../store/store.ts";
import type { Environment } from "../home.ts";
import type { OwnerOptions, OwnerProgram } from "./owner-control.ts";
import type { ScopeName, ScopePorts, ScopeRequest } from "./scope-place.ts";

/** PATH is for what the owner starts for people: terminal hosts, git. */
const ALLOWED = new Set([
  ...["HOME", "USER", "LOGNAME", "SHELL", "PATH", "LANG", "TZ", "TMPDIR", "SWARM_GEN_HOME"],
  ...["XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"],
]);

export interface PlanOwnerRequest extends ScopeRequest, OwnerOptions {
  readonly name: ScopeName;
  /** The descriptor on which it tells whether it serves; absent for one in the foreground. */
  readonly readyFd?: number;
}

/** `unsupported_node` for a generation that brings an owner and nothing to run it on; `generation_damaged`. */
export async function planOwner(request: PlanOwnerRequest, ports: ScopePorts): Promise<OwnerProgram> {
  const { name, folders, tcpPort, readyFd } = request;
  const { file, main } = await findProgram(request, ports);
  const flags = [
    ["--root", name.root],
    ["--profile", name.profile],
    ["--state", folders.state],
    ["--store", folders.store],
    ...(tcpPort === undefined ? [] : [["--tcp-port", `${tcpPort}`]]),
    ...(readyFd === undefined ? [] : [["--ready-fd", `${readyFd}`]]),
  ];
  return { file, argv: [file, main, ...flags.flat()], env: ownerEnvironment(ports.env) };
}

export function ownerEnvironment(env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (pair): pair is [string, string] =>
        pair[1] !== undefined && (ALLOWED.has(pair[0]) || pair[0].startsWith("LC_")),
    ),
  );
}

interface Program {
  readonly file: string;
  readonly main: string;
}

async function findProgram({ name, folders }: PlanOwnerRequest, ports: ScopePorts): Promise<Program> {
  // SQLite comes with it, and only a start needs it.
  const { lookUpStore } = await import("./look-up-store.ts");
  const store = lookUpStore(folders.store, ports);
  try {
    for (const generation of candidates(store, name)) {
      const program = programOf(store, generation);
      if (program !== null) return program;
    }
  } finally {
    store.close();
  }
  return { file: ports.running.execPath, main: OWN_MAIN };
}

// Beside this module, in the sources as in what is built from them.
const OWN_MAIN = join(import.meta.dirname, `../../owner/main${import.meta.url.slice(-3)}`);

function candidates(store: Store, { scope, profile }: ScopeName): readonly GenerationId[] {
  const recorded = store.scopes.read(scope)?.generation ?? null;
  const current = store.history(profile).find((activation) => activation.current)?.generation ?? null;
  return [recorded, current].filter((generation) => generation !== null);
}

/** Null where the generation is gone, or is no build of swarm-gen. */
function programOf(store: Store, generation: GenerationId): Program | null {
  if (!store.list().some((known) => known.generation === generation)) return null;
  const { path, entrypoints, interpreter } = store.show(generation);
  if (entrypoints.owner === undefined) return null;
  if (interpreter === null) {
    throw new CodedError(
      "unsupported_node",
      `Generation ${generation} carries no interpreter for its owner.`,
      {
        hint: 'Stage it again with a recipe that says "interpreter": "running".',
        fields: { generation },
      },
    );
  }
  const program = { file: join(path, interpreter.path), main: join(path, entrypoints.owner) };
  // Another generation in its place would be an upgrade that nobody asked for.
  for (const needed of [program.file, program.main]) {
    if (existsSync(needed)) continue;
    throw new CodedError(
      "generation_damaged",
      `Generation ${generation}, which the scope's owner runs from, has no ${needed} any more.`,
      { fields: { generation, path: needed, changed: false } },
    );
  }
  return program;
}
