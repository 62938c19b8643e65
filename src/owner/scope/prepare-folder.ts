/** Makes a scope's folder, private from the moment it exists, and refuses one that is not. */
import { lstatSync, mkdirSync } from "node:fs";
import { CodedError, systemCode } from "../../kernel/errors.ts";
import { makeFolders } from "../../kernel/make-folders.ts";
import { shellWord } from "../../kernel/shell-word.ts";
import type { SocketPlace } from "../../operations/scope/endpoint.ts";
import type { ScopeLayout } from "../../operations/scope/scope-layout.ts";
import { checkScopeFolder, refuseNetworkFileSystem } from "../../operations/scope/secure-folder.ts";

const PRIVATE = 0o700;

/** `state_insecure`; `ledger_unavailable` where it cannot be made. */
export function prepareScopeFolder(layout: ScopeLayout, uid: number): void {
  checkScopeFolder(layout, uid);
  try {
    makeFolders({ mkdirSync, statSync: lstatSync as never }, layout.logs, PRIVATE);
  } catch (cause) {
    throw new CodedError(
      "ledger_unavailable",
      `No folder can be made at ${layout.folder}: ${systemCode(cause)}.`,
      {
        hint: "Set SWARM_GEN_HOME, or XDG_STATE_HOME, to a folder that you may write.",
        cause,
        fields: { path: layout.folder, changed: false },
      },
    );
  }
  refuseNetworkFileSystem(layout.folder);
  checkScopeFolder(layout, uid);
}

/** The folders below the runtime folder that the socket stands in. `state_insecure` if they are another's. */
export function prepareSocketFolders({ folders }: SocketPlace, uid: number): void {
  for (const path of folders) {
    try {
      mkdirSync(path, { mode: PRIVATE });
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
    }
    const stats = lstatSync(path);
    if (stats.isDirectory() && stats.uid === uid && (stats.mode & 0o077) === 0) continue;
    throw new CodedError("state_insecure", `${path} is not a folder of yours alone.`, {
      hint: `See who made it, then run: rm -r ${shellWord(path)}`,
      fields: { path, changed: false },
    });
  }
}
