/**
 * What an operator does with a scope's ledger as a file: tell about it, check it, back it up, and
 * put a backup in its place. They run in the caller's process, whether an owner runs or not, and
 * start none; see `read-beside-owner.ts`.
 */
import { statSync } from "node:fs";
import { backUpLedger } from "../../coordinator/ledger/back-up-ledger.ts";
import { checkLedger, type LedgerFault } from "../../coordinator/ledger/check-ledger.ts";
import { describeLedger, type LedgerContents } from "../../coordinator/ledger/describe-ledger.ts";
import { type OpenForReading, readBesideOwner } from "../../coordinator/ledger/read-beside-owner.ts";
import { type Restored, restoreLedger } from "../../coordinator/ledger/restore-ledger.ts";
import { CodedError } from "../../kernel/errors.ts";
import { readScopeConfig, type ScopeConfig } from "../scope/scope-config.ts";
import { findScope, type ScopeLayout, scopeLayout } from "../scope/scope-layout.ts";
import type { ScopeName, ScopePorts, ScopeRequest } from "../scope/scope-place.ts";
import { checkScopeFolder } from "../scope/secure-folder.ts";

export type LedgerPorts = Pick<ScopePorts, "clock" | "ids" | "uid">;

interface AboutLedger extends ScopeName {
  readonly path: string;
  readonly instance: string;
  /** `1.0`: major and minor. */
  readonly schema: string;
  readonly ownerRuns: boolean;
}

export interface LedgerInfo extends AboutLedger, LedgerContents {
  readonly createdAt: string;
  readonly sizeBytes: number;
  /** What is committed and not yet folded into the file. */
  readonly logBytes: number;
}

export interface LedgerChecked extends AboutLedger {
  readonly ok: boolean;
  readonly faults: readonly LedgerFault[];
}

export interface LedgerBackedUp extends AboutLedger {
  readonly file: string;
  readonly sizeBytes: number;
  readonly newestEvent: number;
  readonly at: string;
}

export interface LedgerRestored extends ScopeName, Restored {
  readonly path: string;
}

/** `not_found` for a scope without a ledger; `ledger_newer`, `ledger_foreign`, `ledger_damaged`. */
export function ledgerInfo(request: ScopeRequest, ports: LedgerPorts): Promise<LedgerInfo> {
  return reading(request, ports, ({ db, identity }, about) => ({
    ...about,
    createdAt: new Date(identity.createdAt).toISOString(),
    sizeBytes: sizeOf(about.path),
    logBytes: sizeOf(`${about.path}-wal`),
    ...describeLedger(db),
  }));
}

/** What is wrong is in the answer; thrown is only what hinders the check. */
export function ledgerCheck(request: ScopeRequest, ports: LedgerPorts): Promise<LedgerChecked> {
  return reading(request, ports, ({ db }, about) => {
    const faults = checkLedger(db);
    return { ...about, ok: faults.length === 0, faults };
  });
}

/** To a new file of the user's own; `wrong_state` where it is there, `ledger_damaged` where the copy fails its check. */
export function ledgerBackup(
  request: ScopeRequest & { readonly file: string },
  ports: LedgerPorts,
): Promise<LedgerBackedUp> {
  return reading(request, ports, async ({ db }, about) => {
    const { file, sizeBytes, newestEvent } = await backUpLedger(db, request.file, ports.ids);
    return { ...about, file, sizeBytes, newestEvent, at: new Date(ports.clock.now()).toISOString() };
  });
}

/** The owner must be stopped. Without `apply` it tells what would be lost. */
export function ledgerRestore(
  request: ScopeRequest & { readonly backup: string; readonly apply: boolean },
  ports: LedgerPorts,
): LedgerRestored {
  const { name, layout, config } = locate(request, ports.uid);
  const { backup, apply } = request;
  const restored = restoreLedger(
    { place: layout, scope: config, backup, apply, now: ports.clock.now() },
    ports.ids,
  );
  return { ...name, path: layout.ledger, ...restored };
}

interface Located {
  readonly name: ScopeName;
  readonly layout: ScopeLayout;
  readonly config: ScopeConfig;
}

function locate(request: ScopeRequest, uid: number): Located {
  const name = findScope(request);
  const layout = scopeLayout(request.folders.state, name.scope);
  const config = checkScopeFolder(layout, uid) ? readScopeConfig(layout.config) : null;
  if (config !== null) return { name, layout, config };
  throw new CodedError("not_found", `There is no ledger of ${name.root} (profile ${name.profile}).`, {
    hint: "swarm-gen owner start begins one.",
    fields: { ...name, changed: false },
  });
}

async function reading<Result>(
  request: ScopeRequest,
  { ids, uid }: LedgerPorts,
  read: (open: OpenForReading, about: AboutLedger) => Result | Promise<Result>,
): Promise<Result> {
  const { name, layout } = locate(request, uid);
  return readBesideOwner(layout, ids, (open) => {
    const { instance, schema } = open.identity;
    const { major, minor } = schema;
    return read(open, {
      ...name,
      path: layout.ledger,
      instance,
      schema: `${major}.${minor}`,
      ownerRuns: open.ownerRuns,
    });
  });
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
