/** Which scope a command means, as whom it speaks, and the client that it speaks through. */
import type { Client } from "../../../client/client.ts";
import type { OpenScope } from "../../../operations/scope/open-scope.ts";
import type { ScopeRequest } from "../../../operations/scope/scope-place.ts";
import type { Call } from "../call.ts";
import { givenPath } from "../given-path.ts";
import type { ScopeFlags } from "../table/scope-flags.ts";

const CAPABILITY_VARIABLE = "SWARM_GEN_CAPABILITY_FILE";

export function scopeRequest(call: Call<ScopeFlags>): ScopeRequest {
  return {
    cwd: givenPath(call.host, call.flags.scope ?? "."),
    profile: call.profile,
    folders: call.folders(),
  };
}

/** Undefined where the scope's own operator calls. */
export function capabilityFile({ flags, host }: Call<ScopeFlags>): string | undefined {
  const file = flags.capability ?? host.env[CAPABILITY_VARIABLE];
  return file === undefined || file === "" ? undefined : givenPath(host, file);
}

/** `start` lets the owner be started where none runs; what only looks starts nothing. */
export async function withClient<Result>(
  call: Call<ScopeFlags>,
  { start }: { readonly start: boolean },
  use: (client: Client, scope: OpenScope) => Promise<Result>,
): Promise<Result> {
  const { openScope } = await import("../../../operations/scope/open-scope.ts");
  const request = { ...scopeRequest(call), start, capabilityFile: capabilityFile(call) };
  const onStarting = () => void call.host.stderr.write("starting the owner of this project\n");
  const scope = await openScope({ ...request, onStarting }, call.host.scopePorts());
  try {
    return await use(scope.client, scope);
  } finally {
    scope.client.close();
  }
}
