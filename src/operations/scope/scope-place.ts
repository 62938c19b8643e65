/** Which scope a command means, and what opening it takes from the process. */
import type { Clock, Ids } from "../../kernel/clock.ts";
import type { Timers } from "../../kernel/timers.ts";
import type { Environment, HomeFolders } from "../home.ts";

export interface ScopeRequest {
  /** Any folder of the project, absolute. */
  readonly cwd: string;
  readonly profile: string;
  readonly folders: HomeFolders;
}

/** Built by mains. */
export interface ScopePorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly timers: Timers;
  readonly env: Environment;
  readonly uid: number;
  readonly pid: number;
  /** Where this program runs: starts the owner where the store has no generation for it. */
  readonly running: { readonly execPath: string; readonly platform: NodeJS.Platform };
}

/** A scope, named by the project's root and a profile. */
export interface ScopeName {
  /** The first 12 hex digits of SHA-256(root NUL profile). */
  readonly scope: string;
  /** The canonical project root: the parent of git's common folder, so that worktrees share it. */
  readonly root: string;
  readonly profile: string;
}
