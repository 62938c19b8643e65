/** run: replaces this process by an entry point, so that the pin it took keeps its holder. */
import { planRun } from "../../../operations/run.ts";
import type { Answer, Call } from "../call.ts";

export async function run(call: Call): Promise<Answer> {
  const [reference = "", entry = "", ...args] = call.args;
  const plan = planRun(await call.context(), { reference, entry, args, env: call.host.env });
  // Closed first, so that the index is left in order; the pin outlives it, it is a row.
  call.closeStore();
  return call.host.exec(plan.file, plan.argv, plan.env);
}
