/** unpin, for people: what is no longer held. */
import { unpin } from "../../../operations/pin.ts";
import type { Answer, Call } from "../call.ts";
import { cleanText } from "../render/clean-text.ts";
import { shortId } from "../render/quantities.ts";

export async function run(call: Call): Promise<Answer> {
  const output = unpin(await call.context(), { pinId: call.args[0] ?? "" });
  return {
    output,
    text: () => cleanText(`${output.id} no longer pins ${shortId(output.generation)} (${output.reason})`),
  };
}
