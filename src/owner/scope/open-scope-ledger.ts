/**
 * The ledger of a scope: opened if the scope has begun, created if it has not.
 *
 * `scope.json` says which. It is written last, so a creation that was cut short is one that has not
 * begun: its next try finds what the first one left, and goes on with it. A scope that has begun
 * and whose ledger is gone is refused; a restart never makes a ledger in place of another.
 */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs";
import { lookAtLedger } from "../../coordinator/ledger/look-at-ledger.ts";
import { createLedger, type LedgerDatabase, openLedger } from "../../coordinator/ledger/open-ledger.ts";
import type { Clock, Ids } from "../../kernel/clock.ts";
import { CodedError } from "../../kernel/errors.ts";
import { readScopeConfig, type ScopeConfig } from "../../operations/scope/scope-config.ts";
import type { ScopeLayout } from "../../operations/scope/scope-layout.ts";
import type { ScopeName } from "../../operations/scope/scope-place.ts";

export interface ScopeLedger {
  readonly db: LedgerDatabase;
  readonly instance: string;
}

export interface OpenScopeLedgerRequest {
  readonly layout: ScopeLayout;
  readonly name: ScopeName;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Told the instance before its ledger is made or opened; what it throws ends the start. */
  readonly onInstance: (instance: string, isNew: boolean) => void;
}

/** The caller holds owner.lock. Throws what `openLedger` does. */
export function openScopeLedger(request: OpenScopeLedgerRequest): ScopeLedger {
  const { layout, name, onInstance } = request;
  const config = readScopeConfig(layout.config);
  if (config !== null) {
    refuseOtherScope(layout, config, name);
    onInstance(config.instance, false);
    const db = openLedger({ path: layout.ledger, instance: config.instance });
    return { db, instance: config.instance };
  }
  return existsSync(layout.ledger) ? adopt(request) : create(request);
}

function create({ layout, name, clock, ids, onInstance }: OpenScopeLedgerRequest): ScopeLedger {
  const instance = ids.hex(16);
  onInstance(instance, true);
  const { root, profile } = name;
  const db = createLedger({ path: layout.ledger, instance, root, profile, now: clock.now() });
  return { db, instance };
}

/** A ledger whose scope has not begun: left by a creation that was cut short, or put there by hand. */
function adopt({ layout, name, onInstance }: OpenScopeLedgerRequest): ScopeLedger {
  const { instance, root, profile } = lookAtLedger({ path: layout.ledger });
  refuseOtherScope(layout, { root, profile, instance }, name);
  onInstance(instance, true);
  return { db: openLedger({ path: layout.ledger, instance }), instance };
}

/** From here on the scope has begun. */
export function recordBegun(layout: ScopeLayout, config: Omit<ScopeConfig, "format">): void {
  if (readScopeConfig(layout.config) !== null) return;
  const temporary = `${layout.config}.new`;
  const file = openSync(temporary, "w", 0o600);
  try {
    const { root, profile, instance } = config;
    writeSync(file, `${JSON.stringify({ format: 1, root, profile, instance })}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, layout.config);
}

function refuseOtherScope(
  { folder }: ScopeLayout,
  found: Pick<ScopeConfig, "root" | "profile" | "instance">,
  { root, profile }: ScopeName,
): void {
  if (found.root === root && found.profile === profile) return;
  throw new CodedError(
    "ledger_foreign",
    `${folder} belongs to ${found.root} (profile ${found.profile}), not to ${root} (profile ${profile}).`,
    { fields: { path: folder, found, expected: { root, profile }, changed: false } },
  );
}
