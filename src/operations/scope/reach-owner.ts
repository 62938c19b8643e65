/** Asks a scope's owner who it is, without starting one and without a capability. */
import type { OwnerDescriptor } from "../../client/client.ts";
import { createClient } from "../../client/create-client.ts";
import { CodedError } from "../../kernel/errors.ts";
import { readEndpoint } from "./endpoint.ts";
import type { ScopeLayout } from "./scope-layout.ts";
import type { ScopePorts } from "./scope-place.ts";
import { checkScopeFolder } from "./secure-folder.ts";

/** An owner answers this at once; a process that was stopped never does. */
const ANSWER_WITHIN_MS = 3_000;

export type Reached =
  | { readonly state: "running"; readonly owner: OwnerDescriptor }
  /** `none` where the scope has no folder. */
  | { readonly state: "none" | "stopped" | "unresponsive"; readonly owner: null };

/** `state_insecure` before anything of the folder is believed; `coordinator_version_mismatch`. */
export async function reachOwner(layout: ScopeLayout, ports: ScopePorts): Promise<Reached> {
  if (!checkScopeFolder(layout, ports.uid)) return { state: "none", owner: null };
  const client = createClient({
    ...ports,
    locate: () => readEndpoint(layout.endpoint)?.socket ?? null,
    capability: null,
    patienceMs: 0,
    answerWithinMs: ANSWER_WITHIN_MS,
  });
  try {
    return { state: "running", owner: await client.descriptor() };
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== "owner_unavailable") throw error;
    return { state: error.fields.owner === "silent" ? "unresponsive" : "stopped", owner: null };
  } finally {
    client.close();
  }
}
