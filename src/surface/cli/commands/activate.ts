/** activate, for people: what became current, and what was before. */
import { type ActivateOutput, activate } from "../../../operations/activate.ts";
import type { Answer, Call } from "../call.ts";
import { shortId } from "../render/quantities.ts";

export async function run(call: Call): Promise<Answer> {
  const context = await call.context();
  const output = activate(context, { generation: call.args[0] ?? "" });
  return { output, text: () => activatedText(output, context.profile) };
}

export function activatedText(output: ActivateOutput, profile: string): string {
  const what = `${shortId(output.generation)} ${output.changed ? "is now current" : "was current already"} in ${profile}`;
  const before = output.changed && output.previous !== null ? `, before it ${shortId(output.previous)}` : "";
  return `${what}: activation @${output.activation}${before}`;
}
