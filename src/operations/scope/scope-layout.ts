/**
 * Where everything of a scope stands; the only place that builds paths in it.
 *
 *   <state>/scopes/<id>/         0700
 *     ledger.sqlite              the ledger; opened by the holder of owner.lock alone
 *     owner.lock                 see coordinator/ledger/owner-lock.ts
 *     scope.json                 root, profile and the ledger's instance: the scope has begun
 *     operator.key launcher.key  capabilities, each one line
 *     endpoint                   where the owner listens, see endpoint.ts
 *     logs/                      owner.log and the older owner.<n>.log; owner.stderr
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { findRoot } from "./find-root.ts";
import type { ScopeName, ScopeRequest } from "./scope-place.ts";

const ID_DIGITS = 12;

export interface ScopeLayout {
  /** swarm-gen's own state folder. */
  readonly state: string;
  readonly scopes: string;
  readonly folder: string;
  readonly ledger: string;
  readonly lock: string;
  readonly config: string;
  readonly operatorKey: string;
  readonly launcherKey: string;
  readonly endpoint: string;
  /** Where the socket stands if there is no runtime folder for it. */
  readonly socket: string;
  readonly logs: string;
  readonly log: string;
  /** What the owner's interpreter itself has to say, such as why it crashed. */
  readonly stderr: string;
}

/** Reads the project's folders and creates nothing. `not_found` where `cwd` is not there. */
export function findScope({ cwd, profile }: Pick<ScopeRequest, "cwd" | "profile">): ScopeName {
  return nameScope(findRoot(cwd), profile);
}

/** `root` is a canonical project root. */
export function nameScope(root: string, profile: string): ScopeName {
  const digest = createHash("sha256").update(`${root}\0${profile}`).digest("hex");
  return { scope: digest.slice(0, ID_DIGITS), root, profile };
}

/** `state` is swarm-gen's state folder, absolute. */
export function scopeLayout(state: string, scope: string): ScopeLayout {
  const scopes = join(state, "scopes");
  const folder = join(scopes, scope);
  const logs = join(folder, "logs");
  return {
    state,
    scopes,
    folder,
    ledger: join(folder, "ledger.sqlite"),
    lock: join(folder, "owner.lock"),
    config: join(folder, "scope.json"),
    operatorKey: join(folder, "operator.key"),
    launcherKey: join(folder, "launcher.key"),
    endpoint: join(folder, "endpoint"),
    socket: join(folder, "api.sock"),
    logs,
    log: join(logs, "owner.log"),
    stderr: join(logs, "owner.stderr"),
  };
}
