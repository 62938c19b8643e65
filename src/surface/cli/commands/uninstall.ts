/** uninstall: refuses to be more than a plan. */
import { CodedError } from "../../../kernel/errors.ts";
import { planUninstall, type UninstallOutput } from "../../../operations/uninstall.ts";
import type { Answer, Call } from "../call.ts";
import type { CommonFlags } from "../command-spec.ts";
import { cleanText } from "../render/clean-text.ts";
import { shortId, sizeText } from "../render/quantities.ts";
import type { Style } from "../render/style.ts";
import { table } from "../render/table.ts";

interface UninstallFlags extends CommonFlags {
  readonly plan?: boolean;
}

export async function run(call: Call<UninstallFlags>): Promise<Answer> {
  if (call.flags.plan !== true) {
    throw new CodedError("invalid_input", "uninstall only plans; it removes nothing by itself.", {
      hint: "swarm-gen uninstall --plan prints what would be removed, and the commands.",
    });
  }
  const output = await planUninstall({
    folders: call.folders(),
    inspection: await call.host.inspect(),
    openStore: async () => (await call.context()).store,
  });
  return { output, text: (style) => planText(output, style) };
}

function planText(output: UninstallOutput, style: Style): string {
  if (output.remove.length === 0) return "There is nothing to remove.";
  const removed = table(
    output.remove,
    [
      { title: "SIZE", align: "right", value: ({ bytes }) => sizeText(bytes) },
      { title: "PATH", value: ({ path }) => path },
      { title: "WHAT", value: ({ what }) => what },
    ],
    style,
  );
  const blockers = output.blockers.map(({ kind, generation, id, detail }) =>
    cleanText(`${shortId(generation)}  ${kind} ${id}  ${detail}`),
  );
  const verdict = output.clear
    ? "Nothing runs from the store. To remove it:"
    : `${style.red("These still run, or are about to; end them first:")}\n${blockers.join("\n")}\n\nThen, to remove it:`;
  return [removed, "", verdict, ...output.commands.map((command) => `  ${cleanText(command)}`)].join("\n");
}
