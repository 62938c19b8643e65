/** owner status: the owner's own word where it answers, else what is known of the scope. */
import { type OwnerStatus, ownerStatus } from "../../../operations/scope/owner-control.ts";
import type { Answer, Call } from "../call.ts";
import { scopeRequest } from "../ledger/scope-call.ts";
import { ownerText } from "../render/owner-text.ts";
import type { Style } from "../render/style.ts";
import { facts } from "../render/table.ts";
import type { ScopeFlags } from "../table/scope-flags.ts";

export async function run(call: Call<ScopeFlags>): Promise<Answer> {
  const output = await ownerStatus(scopeRequest(call), call.host.scopePorts());
  return { output, text: (style) => statusText(output, style) };
}

const WORDS: Readonly<Record<OwnerStatus["state"], string>> = {
  none: "never started; swarm-gen owner start makes the project's ledger",
  stopped: "stopped; swarm-gen owner start starts it",
  running: "running",
  unresponsive: "a process holds the scope and does not answer; swarm-gen owner logs tells more",
};

function statusText(output: OwnerStatus, style: Style): string {
  const more: [string, string][] = [
    ["folder", output.folder],
    ["endpoint", output.endpoint ?? "none"],
  ];
  return [WORDS[output.state], ownerText(output, output.owner, style), facts(more, style)].join("\n");
}
