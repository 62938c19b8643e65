/** The scope and its owner's generation, as the store's index knows them: nothing a scope runs on is collected. */
import { CodedError } from "../../kernel/errors.ts";
import type { Store } from "../../store/store.ts";
import type { Log } from "../log/rotating-log.ts";
import type { OwnerDeps } from "../owner-deps.ts";

interface Recorded {
  readonly instance: string;
  /** The scope has not begun: it may only with open admission. */
  readonly isNew: boolean;
  readonly folder: string;
  readonly log: Log;
}

/**
 * Whether the owner is in probation: it starts while admission is closed, so a replacement of its
 * generation may be under way. `admission_closed` for a new scope; `generation_collecting`.
 */
export function recordInStore(deps: OwnerDeps, { instance, isNew, folder, log }: Recorded): boolean {
  const { name, generation } = deps;
  return withStore(deps, (store) => {
    if (isNew || store.scopes.read(name.scope)?.instance !== instance) {
      try {
        store.scopes.add({ ...name, instance, folder });
      } catch (error) {
        // A scope that has begun is served, admission or not; it is recorded at a later start.
        if (isNew || !(error instanceof CodedError) || error.code !== "admission_closed") throw error;
        log.write("warning", "the store does not know this scope yet", { message: error.message });
      }
    }
    if (generation !== null) store.scopes.pinOwner({ scope: name.scope, generation });
    return store.admission.read(name.profile).state === "closed";
  });
}

/** Once nothing of the owner runs any more but its last lines. A pin that stays keeps a generation, no more. */
export function releaseInStore(deps: OwnerDeps, log: Log): void {
  if (deps.generation === null) return;
  try {
    withStore(deps, (store) => store.scopes.releaseOwner(deps.name.scope));
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    log.write("warning", "the owner's pin stays until the next start", { message: error.message });
  }
}

function withStore<Result>(deps: OwnerDeps, act: (store: Store) => Result): Result {
  const store = deps.openStore();
  try {
    return act(store);
  } finally {
    store.close();
  }
}
