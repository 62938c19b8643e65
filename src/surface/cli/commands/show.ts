/** show: three answers of different shapes, by flag; people also see where it came from. */
import { CodedError } from "../../../kernel/errors.ts";
import { runnableEntries } from "../../../operations/run.ts";
import { type ShowOutput, show, showFiles, showSums } from "../../../operations/show.ts";
import type { Answer, Call } from "../call.ts";
import type { CommonFlags } from "../command-spec.ts";
import { pinsText } from "../render/pins-text.ts";
import { countText, instantText, sizeText } from "../render/quantities.ts";
import type { Style } from "../render/style.ts";
import { sumLine } from "../render/sum-line.ts";
import { facts, table } from "../render/table.ts";

interface ShowFlags extends CommonFlags {
  readonly nar?: boolean;
  readonly sums?: boolean;
  readonly files?: boolean;
}

export async function run(call: Call<ShowFlags>): Promise<Answer> {
  const { flags } = call;
  const reference = call.args[0] ?? "";
  if ([flags.nar, flags.sums, flags.files].filter(Boolean).length > 1) {
    throw new CodedError("invalid_input", "--nar, --sums and --files exclude each other.");
  }
  const context = await call.context();
  if (flags.sums === true) {
    const output = await showSums(context, { reference });
    return { output, verbatim: true, text: () => output.sums.map(sumLine).join("\n") };
  }
  if (flags.files === true) {
    const output = await showFiles(context, { reference });
    return {
      output,
      text: (style) =>
        table(
          output.tree,
          [
            { title: "MODE", value: (file) => file.mode },
            { title: "DIGEST", value: (file) => file.digest.slice(0, 12) },
            { title: "SIZE", align: "right", value: (file) => String(file.size) },
            { title: "PATH", value: (file) => file.path },
          ],
          style,
        ),
    };
  }
  const output = await show(context, { reference, nar: flags.nar === true });
  if (flags.json === true) return { output };
  const { interpreter, platform, provenance, stagedAt } = context.store.show(output.generation);
  const pairs = [
    ["staged", `${instantText(stagedAt)} UTC from ${provenance.source}`],
    ...(provenance.commit === null
      ? []
      : [["commit", `${provenance.commit}${provenance.dirty === true ? " with changes" : ""}`] as const]),
    ["interpreter", interpreter === null ? "none" : `${interpreter.name} ${interpreter.version}`],
    ["platform", platform ?? "any"],
  ] as const;
  return { text: (style) => showText(output, pairs, style) };
}

function showText(output: ShowOutput, more: readonly (readonly [string, string])[], style: Style): string {
  const entries = [...runnableEntries(output.entrypoints)].map(([name, path]) => `${name} (${path})`);
  const activations = output.activations.map(
    ({ profile, activation, current }) => `${profile}@${activation}${current ? " (current)" : ""}`,
  );
  return [
    facts(
      [
        ["generation", output.generation],
        ["name", output.name],
        ["path", output.path],
        ["content", `${countText(output.files, "file")}, ${sizeText(output.bytes)}`],
        ...more,
        ["NAR hash", output.narHash ?? "not computed yet (--nar)"],
        ["entry points", entries.length === 0 ? "none" : entries.join(", ")],
        ["activations", activations.length === 0 ? "none" : activations.join(", ")],
      ],
      style,
    ),
    "",
    pinsText(output.pins, style),
  ].join("\n");
}
