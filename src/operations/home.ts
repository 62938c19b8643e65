/**
 * Where swarm-gen keeps its things for one user; the only place that decides it.
 *
 *   SWARM_GEN_HOME=/x   /x/store  /x/cache  /x/state
 *   otherwise           $XDG_DATA_HOME/swarm-gen  $XDG_CACHE_HOME/swarm-gen  $XDG_STATE_HOME/swarm-gen,
 *                       each with the XDG default below $HOME; a relative XDG variable counts as
 *                       unset, as the XDG base directory specification asks.
 *
 * A relative SWARM_GEN_HOME or HOME is refused rather than resolved: the same command in another
 * folder would use another store.
 */
import { isAbsolute, join, resolve } from "node:path";
import { CodedError } from "../kernel/errors.ts";

export interface HomeFolders {
  /** SWARM_GEN_HOME where it is set, else null. */
  readonly home: string | null;
  readonly store: string;
  readonly cache: string;
  readonly state: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The folders for this environment; creates nothing. `invalid_input` where no absolute folder follows. */
export function homeFolders(env: Environment): HomeFolders {
  const home = env.SWARM_GEN_HOME;
  if (home !== undefined && home !== "") {
    const root = absolute("SWARM_GEN_HOME", home);
    return { home: root, store: join(root, "store"), cache: join(root, "cache"), state: join(root, "state") };
  }
  return {
    home: null,
    store: join(xdgFolder(env, "XDG_DATA_HOME", ".local/share"), "swarm-gen"),
    cache: join(xdgFolder(env, "XDG_CACHE_HOME", ".cache"), "swarm-gen"),
    state: join(xdgFolder(env, "XDG_STATE_HOME", ".local/state"), "swarm-gen"),
  };
}

function xdgFolder(env: Environment, variable: string, fallback: string): string {
  const folder = env[variable];
  if (folder !== undefined && isAbsolute(folder)) return absolute(variable, folder);
  const home = env.HOME;
  if (home === undefined || home === "") {
    throw new CodedError("invalid_input", "HOME is not set, so there is no place for the store.", {
      hint: "Set HOME or SWARM_GEN_HOME to an absolute folder.",
    });
  }
  return join(absolute("HOME", home), fallback);
}

function absolute(variable: string, folder: string): string {
  if (!isAbsolute(folder)) {
    throw new CodedError("invalid_input", `${variable} is ${folder}, which is not an absolute path.`, {
      hint: `Set ${variable} to an absolute folder.`,
    });
  }
  return resolve(folder);
}
