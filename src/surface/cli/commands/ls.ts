/** ls, for people: a table that marks the current generation. */
import { ls } from "../../../operations/ls.ts";
import type { Answer, Call } from "../call.ts";
import { instantText, shortId, sizeText } from "../render/quantities.ts";
import { table } from "../render/table.ts";

export async function run(call: Call): Promise<Answer> {
  const context = await call.context();
  const output = ls(context);
  if (call.flags.json === true) return { output };
  const current = context.store.history(context.profile).find((activation) => activation.current)?.generation;
  return {
    text: (style) =>
      output.generations.length === 0
        ? "No generations yet; swarm-gen stage makes the first."
        : table(
            output.generations,
            [
              {
                title: "GENERATION",
                value: (row) => `${shortId(row.generation)}${row.generation === current ? " *" : ""}`,
              },
              { title: "NAME", value: (row) => row.name },
              { title: "FILES", align: "right", value: (row) => String(row.files) },
              { title: "SIZE", align: "right", value: (row) => sizeText(row.bytes) },
              { title: "STAGED (UTC)", value: (row) => instantText(row.stagedAt) },
              { title: "PINS", align: "right", value: (row) => String(row.pins) },
              { title: "ACTIVATIONS", align: "right", value: (row) => String(row.activations) },
            ],
            style,
          ),
  };
}
