/** owner logs: lines as they stand in the file. */
import { ownerLogs } from "../../../operations/scope/owner-control.ts";
import type { Answer, Call } from "../call.ts";
import { scopeRequest } from "../ledger/scope-call.ts";
import type { ScopeFlags } from "../table/scope-flags.ts";

const DEFAULT_LINES = 50;

export async function run(call: Call<ScopeFlags & { readonly lines?: number }>): Promise<Answer> {
  const request = { ...scopeRequest(call), lines: call.flags.lines ?? DEFAULT_LINES };
  const output = await ownerLogs(request, call.host.scopePorts());
  return { output, verbatim: true, text: () => output.lines.join("\n") };
}
