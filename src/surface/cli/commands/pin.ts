/** pin, for people: the id that releases it again, or the time at which it ends. */
import { pin } from "../../../operations/pin.ts";
import type { Answer, Call } from "../call.ts";
import type { CommonFlags } from "../command-spec.ts";
import { cleanText } from "../render/clean-text.ts";
import { instantText, shortId } from "../render/quantities.ts";

interface PinFlags extends CommonFlags {
  /** The parser demands it. */
  readonly reason?: string;
  readonly expiresIn?: number;
}

export async function run(call: Call<PinFlags>): Promise<Answer> {
  const { reason = "", expiresIn } = call.flags;
  const output = pin(await call.context(), {
    reference: call.args[0] ?? "",
    reason,
    ...(expiresIn === undefined ? {} : { expiresInMs: expiresIn }),
  });
  const end =
    output.expiresAt === null ? `swarm-gen unpin ${output.id}` : `${instantText(output.expiresAt)} UTC`;
  return {
    output,
    text: () => cleanText(`${shortId(output.generation)} is pinned by ${output.id}, until ${end}`),
  };
}
