/** history, for people: the newest and the current one at a glance. */
import { history } from "../../../operations/history.ts";
import type { Answer, Call } from "../call.ts";
import { instantText, shortId } from "../render/quantities.ts";
import { table } from "../render/table.ts";

export async function run(call: Call): Promise<Answer> {
  const output = history(await call.context());
  return {
    output,
    text: (style) =>
      output.activations.length === 0
        ? `Nothing was activated in ${output.profile} yet.`
        : table(
            output.activations,
            [
              { title: "ACTIVATION", value: (row) => `@${row.activation}${row.current ? " *" : ""}` },
              { title: "GENERATION", value: (row) => shortId(row.generation) },
              { title: "AT (UTC)", value: (row) => instantText(row.at) },
              { title: "KIND", value: (row) => row.kind },
              { title: "BY", value: (row) => row.by },
            ],
            style,
          ),
  };
}
