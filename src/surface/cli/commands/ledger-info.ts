/** ledger info, for people: what it is, and its counts. */
import { ledgerInfo } from "../../../operations/ledger/ledger-files.ts";
import type { Answer, Call } from "../call.ts";
import { scopeRequest } from "../ledger/scope-call.ts";
import { sizeText } from "../render/quantities.ts";
import { facts } from "../render/table.ts";
import { cellText, words } from "../render/value-text.ts";
import type { ScopeFlags } from "../table/scope-flags.ts";

export async function run(call: Call<ScopeFlags>): Promise<Answer> {
  const output = await ledgerInfo(scopeRequest(call), call.host.scopePorts());
  const { root, profile, path, schema, instance, ownerRuns, sizeBytes, logBytes, counts } = output;
  const pairs: (readonly [string, string])[] = [
    ["project", `${root}, profile ${profile}`],
    ["path", path],
    ["schema", `${schema}, instance ${instance}`],
    ["owner", ownerRuns ? "runs" : "does not run; this was read from a copy"],
    ["size", `${sizeText(sizeBytes)}, and ${sizeText(logBytes)} of log`],
    ["tasks", `${cellText(output.oldestTaskAt)} to ${cellText(output.newestTaskAt)}`],
    ["events", `up to ${output.newestEvent}, ${cellText(output.newestEventAt)}`],
  ];
  const counted = Object.entries(counts).map(([name, count]) => [words(name), String(count)] as const);
  return { output, text: (style) => `${facts(pairs, style)}\n\n${facts(counted, style)}` };
}
