/**
 * The entrance to everything that turns a folder into a plan. It loads nothing itself: zod, execa,
 * picomatch and the parsers come with the first `assemble`, so that commands which stage nothing
 * never wait for them.
 */
import type { Clock, Ids } from "../../kernel/clock.ts";
import type { FileSystem } from "../file-system.ts";
import type { Layout } from "../layout.ts";
import type { Sources } from "./assembled-runtime.ts";
import type { Host } from "./host.ts";
import type { RunCommand } from "./run-command.ts";

export interface SourcesDeps {
  readonly fs: FileSystem;
  readonly layout: Layout;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly host: Host;
  readonly run: RunCommand;
  /** Waits `ms` milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
}

export function createSources(deps: SourcesDeps): Sources {
  return {
    async assemble(request) {
      const { assemble } = await import("./assemble.ts");
      return assemble(deps, request);
    },
  };
}
