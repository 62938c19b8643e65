/** export: to a file, or as a stream on stdout, where nothing else may then be written. */
import { CodedError } from "../../../kernel/errors.ts";
import { exportGeneration } from "../../../operations/exchange.ts";
import type { Answer, Call } from "../call.ts";
import type { CommonFlags } from "../command-spec.ts";
import { givenPath } from "../given-path.ts";
import { cleanText } from "../render/clean-text.ts";
import { shortId, sizeText } from "../render/quantities.ts";

interface ExportFlags extends CommonFlags {
  /** The parser demands it. */
  readonly to?: string;
}

export async function run(call: Call<ExportFlags>): Promise<Answer> {
  const { host, flags } = call;
  const reference = call.args[0] ?? "";
  const { to = "-" } = flags;
  if (to !== "-") {
    const file = givenPath(host, to);
    const output = await exportGeneration(await call.context(), { reference, target: { file } });
    return {
      output,
      text: () =>
        cleanText(
          `${shortId(output.generation)} written to ${to}: ${sizeText(output.bytes)}, sha256 ${output.sha256}`,
        ),
    };
  }
  if (flags.json === true) {
    throw new CodedError("invalid_input", "--to - writes the archive to stdout, where --json would print.", {
      hint: "Name a file with --to, or leave --json out.",
    });
  }
  if (host.stdout.isTerminal) {
    throw new CodedError("invalid_input", "An archive is not for a terminal.", {
      hint: "Name a file with --to, or pipe stdout into a program or a file.",
    });
  }
  const write = (piece: Uint8Array) => host.stdout.write(piece);
  const output = await exportGeneration(await call.context(), { reference, target: { write } });
  return {
    notes: [`${shortId(output.generation)} written: ${sizeText(output.bytes)}, sha256 ${output.sha256}`],
  };
}
