/** import: the archive may be named relative to the working folder; the answer is that of stage. */
import { importGeneration } from "../../../operations/exchange.ts";
import type { Answer, Call } from "../call.ts";
import type { CommonFlags } from "../command-spec.ts";
import { givenPath } from "../given-path.ts";
import { stagedText } from "./stage.ts";

interface ImportFlags extends CommonFlags {
  readonly expect?: string;
}

export async function run(call: Call<ImportFlags>): Promise<Answer> {
  const { expect } = call.flags;
  const output = await importGeneration(await call.context(), {
    archive: givenPath(call.host, call.args[0] ?? ""),
    ...(expect === undefined ? {} : { expect }),
  });
  return { output, text: (style) => stagedText(output, style) };
}
