/** verify, for people: each damage, what mends it, and what this kind of look cannot see. */
import { CodedError } from "../../../kernel/errors.ts";
import { verify, verifyOutput } from "../../../operations/verify.ts";
import type { VerifyResult } from "../../../store/store.ts";
import type { Answer, Call } from "../call.ts";
import type { CommonFlags } from "../command-spec.ts";
import { EXIT_FINDINGS } from "../exit-codes.ts";
import { cleanText } from "../render/clean-text.ts";
import { countText, shortId } from "../render/quantities.ts";
import type { Style } from "../render/style.ts";

interface VerifyFlags extends CommonFlags {
  readonly all?: boolean;
  readonly quick?: boolean;
}

export async function run(call: Call<VerifyFlags>): Promise<Answer> {
  const { flags, args } = call;
  if (flags.all === true && args.length > 0) {
    throw new CodedError("invalid_input", "--all and the ids of generations exclude each other.");
  }
  const result = await verify(await call.context(), { references: args, quick: flags.quick === true });
  return {
    output: verifyOutput(result),
    text: (style) => verifyText(result, style),
    ...(result.ok ? {} : { exitCode: EXIT_FINDINGS }),
  };
}

function verifyText(result: VerifyResult, style: Style): string {
  const damage = result.damage.map(({ generation, path, kind, expected, found }) =>
    cleanText(
      `${shortId(generation)}  ${kind}  ${path}  expected ${expected ?? "nothing"}, found ${found ?? "nothing"}`,
    ),
  );
  const damaged = [...new Set(result.damage.map(({ generation }) => generation))];
  return [
    ...damage,
    result.ok
      ? style.green(`${countText(result.checked, "generation")} intact`)
      : style.red(`${damaged.length} of ${countText(result.checked, "generation")} damaged`),
    ...damaged.map(
      (generation) => `swarm-gen repair ${shortId(generation)} mends it where a good copy exists`,
    ),
    ...result.blind.map((sentence) => style.dim(cleanText(sentence))),
  ].join("\n");
}
