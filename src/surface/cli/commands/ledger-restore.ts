/** ledger restore: what is lost is listed before it is, and after. */
import { type LedgerRestored, ledgerRestore } from "../../../operations/ledger/ledger-files.ts";
import type { Answer, Call } from "../call.ts";
import { givenPath } from "../given-path.ts";
import { scopeRequest } from "../ledger/scope-call.ts";
import { cleanText } from "../render/clean-text.ts";
import type { Style } from "../render/style.ts";
import { facts } from "../render/table.ts";
import { cellText, words } from "../render/value-text.ts";
import type { ScopeFlags } from "../table/scope-flags.ts";

export async function run(call: Call<ScopeFlags & { readonly apply?: boolean }>): Promise<Answer> {
  const backup = givenPath(call.host, call.args[0] ?? "");
  const request = { ...scopeRequest(call), backup, apply: call.flags.apply === true };
  const output = ledgerRestore(request, call.host.scopePorts());
  return { output, text: (style) => restoredText(output, style) };
}

const MOST_NAMED = 10;

function restoredText(output: LedgerRestored, style: Style): string {
  const { applied, backupReachesTo, lost, lossUnknown, keptAt } = output;
  const losses = Object.entries(lost ?? {})
    .filter(([, { count }]) => count > 0)
    .map(([name, { count, first }]) => {
      const named = first.slice(0, MOST_NAMED).join(", ");
      return [
        words(name),
        `${count}${named === "" ? "" : `: ${named}`}${first.length > MOST_NAMED ? ", …" : ""}`,
      ] as const;
    });
  const verdict = applied ? style.green("restored") : style.yellow("not applied; --apply does it");
  return [
    `${verdict}; the backup reaches to ${cellText(backupReachesTo)}`,
    ...(lossUnknown === null ? [] : [cleanText(lossUnknown)]),
    ...(losses.length === 0
      ? lossUnknown === null
        ? ["nothing is lost"]
        : []
      : [`${applied ? "lost" : "would be lost"}:`, facts(losses, style)]),
    ...(keptAt === null ? [] : [`the replaced ledger is kept as ${cleanText(keptAt)}`]),
  ].join("\n");
}
