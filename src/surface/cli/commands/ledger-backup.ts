/** ledger backup: to a path as it was typed. */
import { ledgerBackup } from "../../../operations/ledger/ledger-files.ts";
import type { Answer, Call } from "../call.ts";
import { givenPath } from "../given-path.ts";
import { scopeRequest } from "../ledger/scope-call.ts";
import { cleanText } from "../render/clean-text.ts";
import { sizeText } from "../render/quantities.ts";
import type { ScopeFlags } from "../table/scope-flags.ts";

export async function run(call: Call<ScopeFlags>): Promise<Answer> {
  const file = givenPath(call.host, call.args[0] ?? "");
  const output = await ledgerBackup({ ...scopeRequest(call), file }, call.host.scopePorts());
  return {
    output,
    text: () => `${cleanText(output.file)}  ${sizeText(output.sizeBytes)}, up to event ${output.newestEvent}`,
  };
}
