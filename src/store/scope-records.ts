/**
 * The scopes of this user, as the store's users see them: which there are, and whose owner runs
 * from which generation. What a scope holds is in its ledger, elsewhere.
 */
import type { GenerationId } from "./identity/object-id.ts";
import type { Pin } from "./store.ts";

export interface ScopeRecords {
  /**
   * Records a new scope, whose owner is to run from the profile's current generation. The same
   * scope and instance again is the same record. `admission_closed`; `wrong_state` where launches
   * of another instance of it are still on record.
   */
  add(request: NewScope): ScopeRecord;
  /** Null for a scope that this store does not know. */
  read(scope: string): ScopeRecord | null;
  /** All scopes, the oldest first. */
  list(): readonly ScopeRecord[];
  /**
   * Keeps the generation that a scope's owner runs from, in place of the one that its owner before
   * ran from; the calling process is that owner. `generation_not_found`, `generation_collecting`.
   */
  pinOwner(request: { readonly scope: string; readonly generation: GenerationId }): Pin;
  /** False where no owner's pin is left. */
  releaseOwner(scope: string): boolean;
}

export interface NewScope {
  /** 12 hex digits, from root and profile. */
  readonly scope: string;
  /** The canonical project root, absolute. */
  readonly root: string;
  readonly profile: string;
  /** The ledger's. */
  readonly instance: string;
  /** Where the scope's state stands, absolute. */
  readonly folder: string;
}

export interface ScopeRecord extends NewScope {
  /** The generation that its owner is started from; null while the profile has no activation. */
  readonly generation: GenerationId | null;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}
