/** status: a project on one screen, whether its owner runs or not. */
import { scopeStatus } from "../../../operations/scope-status.ts";
import type { Answer, Call } from "../call.ts";
import { capabilityFile, scopeRequest } from "../ledger/scope-call.ts";
import { statusText } from "../render/ledger/status-text.ts";
import type { ScopeFlags } from "../table/scope-flags.ts";

export async function run(call: Call<ScopeFlags>): Promise<Answer> {
  const request = { ...scopeRequest(call), capabilityFile: capabilityFile(call) };
  const output = await scopeStatus(request, call.host.scopePorts());
  return { output, text: (style) => statusText(output, style) };
}
