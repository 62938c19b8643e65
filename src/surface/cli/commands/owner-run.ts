/** owner run: replaces this process by the owner, so that a supervisor's signals reach it. */
import { ownerRun } from "../../../operations/scope/owner-control.ts";
import type { Answer, Call } from "../call.ts";
import { scopeRequest } from "../ledger/scope-call.ts";
import type { ScopeFlags } from "../table/scope-flags.ts";

export async function run(call: Call<ScopeFlags & { readonly tcp?: number }>): Promise<Answer> {
  const request = { ...scopeRequest(call), tcpPort: call.flags.tcp };
  const { file, argv, env } = await ownerRun(request, call.host.scopePorts());
  return call.host.exec(file, argv, env);
}
