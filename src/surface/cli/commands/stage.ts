/** stage: resolves paths against the working folder; can activate in the same breath. */
import { type StageOutput, stage, stageAndActivate } from "../../../operations/stage.ts";
import type { Answer, Call } from "../call.ts";
import type { CommonFlags } from "../command-spec.ts";
import { givenPath } from "../given-path.ts";
import { countText, durationText, shortId, sizeText } from "../render/quantities.ts";
import type { Style } from "../render/style.ts";

interface StageFlags extends CommonFlags {
  readonly recipe?: string;
  readonly bare?: boolean;
  readonly name?: string;
  readonly activate?: boolean;
  readonly acceptOwnPaths?: boolean;
}

export async function run(call: Call<StageFlags>): Promise<Answer> {
  const { flags, args, host } = call;
  const input = {
    source: givenPath(host, args[0] ?? "."),
    ...(flags.recipe === undefined ? {} : { recipe: givenPath(host, flags.recipe) }),
    ...(flags.name === undefined ? {} : { name: flags.name }),
    bare: flags.bare === true,
    acceptOwnPaths: flags.acceptOwnPaths === true,
  };
  const context = await call.context();
  if (flags.activate !== true) {
    const output = await stage(context, input);
    return { output, text: (style) => stagedText(output, style) };
  }
  const { staged, activated } = await stageAndActivate(context, input);
  return {
    output: staged,
    text: (style) =>
      `${stagedText(staged, style)}\n${
        activated.changed ? "is now current" : "was current already"
      } in ${context.profile}, activation @${activated.activation}`,
  };
}

export function stagedText(output: StageOutput, style: Style): string {
  const { generation, name, files, bytes, reused, durationMs } = output;
  const amount = `${countText(files, "file")}, ${sizeText(bytes)}`;
  const shared = output.new ? `; ${sizeText(reused.bytes)} of it were in the store already` : "";
  return (
    `${style.bold(shortId(generation))}  ${name}  ${output.new ? style.green("new") : "known already"}\n` +
    `${amount}${shared}; ${durationText(durationMs)}`
  );
}
