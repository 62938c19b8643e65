/** store gc: one mode at a time; the two that print ids print them in full, for scripts. */
import { CodedError } from "../../../kernel/errors.ts";
import { gcOutput, storeGc } from "../../../operations/store-gc.ts";
import type { CollectRequest, CollectResult } from "../../../store/store.ts";
import type { Answer, Call } from "../call.ts";
import type { CommonFlags } from "../command-spec.ts";
import { countText, shortId, sizeText } from "../render/quantities.ts";

interface GcFlags extends CommonFlags {
  readonly dryRun?: boolean;
  readonly printLive?: boolean;
  readonly printDead?: boolean;
  readonly keepLast?: number;
  readonly olderThan?: number;
}

export async function run(call: Call<GcFlags>): Promise<Answer> {
  const { keepLast, olderThan } = call.flags;
  const mode = gcMode(call.flags);
  const result = await storeGc(await call.context(), {
    mode,
    ...(keepLast === undefined ? {} : { keepLast }),
    ...(olderThan === undefined ? {} : { olderThanMs: olderThan }),
  });
  return {
    output: gcOutput(result),
    text: () => gcText(mode, result),
    notes: result.executing.map(
      ({ generation, pid, path }) =>
        `${shortId(generation)} is kept: process ${pid} still runs ${path}, though nothing pins it`,
    ),
  };
}

function gcMode(flags: GcFlags): CollectRequest["mode"] {
  const modes: CollectRequest["mode"][] = [];
  if (flags.dryRun === true) modes.push("dry-run");
  if (flags.printLive === true) modes.push("print-live");
  if (flags.printDead === true) modes.push("print-dead");
  if (modes.length > 1) {
    throw new CodedError("invalid_input", "--dry-run, --print-live and --print-dead exclude each other.");
  }
  return modes[0] ?? "delete";
}

function gcText(mode: CollectRequest["mode"], result: CollectResult): string {
  // Full ids: these two are for scripts, like the Nix commands of the same names.
  if (mode === "print-live") return result.live.join("\n");
  if (mode === "print-dead") return result.dead.join("\n");
  const gone = mode === "dry-run" ? result.dead : result.deleted;
  const verb = mode === "dry-run" ? "would be removed" : "removed";
  const swept = result.swept === 0 ? "" : `; ${countText(result.swept, "left-over")} swept`;
  return [
    ...gone.map((id) => `${shortId(id)}  ${verb}`),
    `${countText(gone.length, "generation")} ${verb}, ${sizeText(result.freedBytes)}; ` +
      `${result.live.length} kept${swept}`,
  ].join("\n");
}
