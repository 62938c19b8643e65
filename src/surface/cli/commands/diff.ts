/** diff, for people: components first, then the first files; all of them only when asked. */
import { type DiffOutput, diff } from "../../../operations/diff.ts";
import type { Answer, Call } from "../call.ts";
import type { CommonFlags } from "../command-spec.ts";
import { cleanText } from "../render/clean-text.ts";
import { shortId, sizeText } from "../render/quantities.ts";
import type { Style } from "../render/style.ts";

interface DiffFlags extends CommonFlags {
  readonly files?: boolean;
}

const FILES_SHOWN = 20;
const SIGNS = { added: "+", removed: "-", changed: "~" } as const;

export async function run(call: Call<DiffFlags>): Promise<Answer> {
  const [from = "", to = ""] = call.args;
  const output = await diff(await call.context(), { from, to });
  const shown = call.flags.files === true ? output.files.length : FILES_SHOWN;
  return { output, text: (style) => diffText(output, shown, style) };
}

function diffText(output: DiffOutput, shown: number, style: Style): string {
  const { files, components } = output;
  const head = `${shortId(output.from)} → ${shortId(output.to)}  ${sizeText(output.bytesBefore)} → ${sizeText(output.bytesAfter)}`;
  if (files.length === 0 && components.length === 0) return `${head}\nNo difference.`;
  const paint = { added: style.green, removed: style.red, changed: style.yellow } as const;
  const componentLines = components.map(({ component, name, change, before, after }) => {
    const what = name === "" ? component : `${component} ${name}`;
    const values = [before, after].filter((value) => value !== null).join(" → ");
    return `${paint[change](SIGNS[change])} ${cleanText(`${what}  ${values}`.trimEnd())}`;
  });
  const fileLines = files
    .slice(0, shown)
    .map(({ path, change }) => `${paint[change](SIGNS[change])} ${cleanText(path)}`);
  const hidden = files.length - fileLines.length;
  return [
    head,
    ...(componentLines.length === 0 ? [] : ["", ...componentLines]),
    ...(fileLines.length === 0 ? [] : ["", ...fileLines]),
    ...(hidden > 0 ? [`  and ${hidden} more (--files lists all)`] : []),
  ].join("\n");
}
