/** why, for people: the verdict, the pins, and what runs from the tree. */
import { type WhyOutput, why } from "../../../operations/why.ts";
import type { Answer, Call } from "../call.ts";
import { pinsText } from "../render/pins-text.ts";
import { instantText, shortId } from "../render/quantities.ts";
import type { Style } from "../render/style.ts";
import { table } from "../render/table.ts";

export async function run(call: Call): Promise<Answer> {
  const output = why(await call.context(), { reference: call.args[0] ?? "" });
  return { output, text: (style) => whyText(output, style) };
}

const COMMAND_CHARACTERS = 60;

function whyText(output: WhyOutput, style: Style): string {
  const id = shortId(output.generation);
  if (output.state === "collected") {
    const at = output.collectedAt === null ? "" : ` at ${instantText(output.collectedAt)} UTC`;
    return `${id} was collected${at}; stage it again to have it back`;
  }
  const verdict =
    output.state === "collecting"
      ? `${id} is being collected`
      : output.collectable
        ? `${id} is kept by nothing; the next swarm-gen store gc may remove it`
        : `${id} is kept`;
  const running =
    output.executing.length === 0
      ? []
      : [
          "",
          table(
            output.executing,
            [
              { title: "PROCESS", align: "right", value: (row) => String(row.pid) },
              { title: "RUNS", value: (row) => insideTree(row.path, output.generation) },
              { title: "COMMAND", value: (row) => row.command.slice(0, COMMAND_CHARACTERS) },
            ],
            style,
          ),
        ];
  return [verdict, "", pinsText(output.pins, style, output.lapsed), ...running].join("\n");
}

/** A tree's own path is long and the same for all; what matters is the part below it. */
function insideTree(path: string, generation: string): string {
  return path.split(`${generation}/`).at(-1) ?? path;
}
