/** owner stop: resolves once the owner has ended. */
import { ownerStop } from "../../../operations/scope/owner-control.ts";
import type { Answer, Call } from "../call.ts";
import { scopeRequest } from "../ledger/scope-call.ts";
import type { ScopeFlags } from "../table/scope-flags.ts";

export async function run(call: Call<ScopeFlags>): Promise<Answer> {
  const output = await ownerStop(scopeRequest(call), call.host.scopePorts());
  return {
    output,
    text: () => (output.stopped ? `stopped process ${output.pid}` : "no owner ran; nothing was stopped"),
  };
}
