/** owner start: says which process serves now, and from which generation. */
import { type OwnerStarted, ownerStart } from "../../../operations/scope/owner-control.ts";
import type { Answer, Call } from "../call.ts";
import { scopeRequest } from "../ledger/scope-call.ts";
import { ownerText } from "../render/owner-text.ts";
import type { ScopeFlags } from "../table/scope-flags.ts";

export async function run(call: Call<ScopeFlags & { readonly tcp?: number }>): Promise<Answer> {
  const request = { ...scopeRequest(call), tcpPort: call.flags.tcp };
  const output: OwnerStarted = await ownerStart(request, call.host.scopePorts());
  return {
    output,
    text: (style) =>
      `${output.started ? style.green("started") : "serves already"}\n${ownerText(output, output.owner, style)}`,
  };
}
