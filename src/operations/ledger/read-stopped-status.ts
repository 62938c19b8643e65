/** The status of a project whose owner is down, from a private copy of its ledger. */
import { createStatements } from "../../coordinator/commit/statements.ts";
import type { Caller } from "../../coordinator/commit/transaction.ts";
import { describeLedger } from "../../coordinator/ledger/describe-ledger.ts";
import { readBesideOwner } from "../../coordinator/ledger/read-beside-owner.ts";
import { readStatus, type Status } from "../../coordinator/status/read-status.ts";
import { readScopeConfig } from "../scope/scope-config.ts";
import { findScope, scopeLayout } from "../scope/scope-layout.ts";
import type { ScopePorts, ScopeRequest } from "../scope/scope-place.ts";
import { checkScopeFolder } from "../scope/secure-folder.ts";

/** Who may read the folder has the operator's authority. */
const OPERATOR: Caller = { actor: "operator", kind: "operator", revision: 1, consumer: "script" };

/** Null where there is no ledger yet, or its owner runs. Errors as of `lookAtLedger`. */
export async function readStoppedStatus(request: ScopeRequest, ports: ScopePorts): Promise<Status | null> {
  const layout = scopeLayout(request.folders.state, findScope(request).scope);
  if (!checkScopeFolder(layout, ports.uid) || readScopeConfig(layout.config) === null) return null;
  return readBesideOwner(layout, ports.ids, ({ db, ownerRuns }) => {
    if (ownerRuns) return null;
    // As the last owner saw it: nobody has listened since, so nobody has fallen silent since.
    return readStatus(createStatements(db), OPERATOR, {}, Date.parse(describeLedger(db).servedAt));
  });
}
