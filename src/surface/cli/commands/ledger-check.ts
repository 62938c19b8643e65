/** ledger check: faults are an answer, not an error. */
import { ledgerCheck } from "../../../operations/ledger/ledger-files.ts";
import type { Answer, Call } from "../call.ts";
import { EXIT_FINDINGS } from "../exit-codes.ts";
import { scopeRequest } from "../ledger/scope-call.ts";
import { cleanText } from "../render/clean-text.ts";
import type { ScopeFlags } from "../table/scope-flags.ts";

export async function run(call: Call<ScopeFlags>): Promise<Answer> {
  const output = await ledgerCheck(scopeRequest(call), call.host.scopePorts());
  const { ok, faults, path } = output;
  return {
    output,
    exitCode: ok ? 0 : EXIT_FINDINGS,
    text: (style) =>
      ok
        ? `${style.green("sound")}  ${cleanText(path)}`
        : faults
            .map(({ kind, detail, subjects }) => {
              const named = subjects.length === 0 ? "" : `: ${subjects.join(", ")}`;
              return `${style.red("fault")}  ${cleanText(`${kind}: ${detail}${named}`)}`;
            })
            .join("\n"),
  };
}
