/** repair, for people: each path that was mended. */
import { repair } from "../../../operations/repair.ts";
import type { Answer, Call } from "../call.ts";
import type { CommonFlags } from "../command-spec.ts";
import { givenPath } from "../given-path.ts";
import { cleanText } from "../render/clean-text.ts";
import { countText, shortId } from "../render/quantities.ts";

interface RepairFlags extends CommonFlags {
  readonly from?: string;
}

export async function run(call: Call<RepairFlags>): Promise<Answer> {
  const { from } = call.flags;
  const output = await repair(await call.context(), {
    reference: call.args[0] ?? "",
    ...(from === undefined ? {} : { from: givenPath(call.host, from) }),
  });
  return {
    output,
    text: () =>
      output.changed
        ? [
            ...output.repaired.map(({ path, kind }) => cleanText(`${kind}  ${path}`)),
            `${countText(output.repaired.length, "path")} of ${shortId(output.generation)} mended`,
          ].join("\n")
        : `${shortId(output.generation)} is intact; nothing was changed`,
  };
}
