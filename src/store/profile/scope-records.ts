/** The scopes of this store: recorded once, moved by activations, each with its owner's pin. */
import { CodedError } from "../../kernel/errors.ts";
import { currentActivation } from "../index/activations.ts";
import type { Index } from "../index/open-index.ts";
import { asPin, deletePin, insertPin, pinsOfKind } from "../index/pins.ts";
import { listScopes, putScope, readScope, type ScopeRow } from "../index/scopes.ts";
import type { NewScope, ScopeRecord, ScopeRecords } from "../scope-records.ts";
import type { StoreContext } from "../store-context.ts";
import { requireOpenAdmission } from "./admission.ts";

export function createScopeRecords(context: StoreContext): ScopeRecords {
  return {
    add(request) {
      const db = context.writing();
      return db.transaction(() => add(context, db, request)).immediate();
    },
    read(scope) {
      const row = readScope(context.reading(), scope);
      return row === null ? null : asRecord(row);
    },
    list: () => listScopes(context.reading()).map(asRecord),
    pinOwner({ scope, generation }) {
      const db = context.writing();
      const since = context.clock.now();
      const row = { kind: "owner", generation, reason: `owner of scope ${scope}`, since, scope } as const;
      return db
        .transaction(() => {
          deletePin(db, pinId(scope));
          return asPin(insertPin(db, { id: pinId(scope), ...row, ...context.processes.self() }));
        })
        .immediate();
    },
    releaseOwner: (scope) => deletePin(context.writing(), pinId(scope)),
  };
}

const pinId = (scope: string): string => `owner-${scope}`;

function add(context: StoreContext, db: Index, request: NewScope): ScopeRecord {
  const before = readScope(db, request.scope);
  // An owner that was killed between the steps of a creation comes here again.
  if (before !== null && before.instance === request.instance) return asRecord(before);
  requireOpenAdmission(db, request.profile);
  if (before !== null) refuseLiveLaunches(db, before);
  const generation = currentActivation(db, request.profile)?.generation ?? null;
  putScope(db, { ...request, generation, createdAt: context.clock.now() });
  return asRecord({ ...request, generation, createdAt: context.clock.now() });
}

/** A scope whose folder was removed by hand may begin anew, but not while its workers may still run. */
function refuseLiveLaunches(db: Index, { scope, instance, folder }: ScopeRow): void {
  const launches = pinsOfKind(db, "launch").filter((pin) => pin.ledgerInstance === instance);
  if (launches.length === 0) return;
  const ids = launches.map(({ launchId }) => launchId);
  throw new CodedError(
    "wrong_state",
    `Scope ${scope} had ledger ${instance}, whose launches may still run: ${ids.join(", ")}.`,
    {
      hint: `Put ${folder} back, or restore its ledger from a backup.`,
      fields: { scope, instance, launches: ids, changed: false },
    },
  );
}

function asRecord({ createdAt, ...row }: ScopeRow): ScopeRecord {
  return { ...row, createdAt: new Date(createdAt).toISOString() };
}
