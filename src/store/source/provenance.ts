/**
 * The commit of a source and whether it has changes: for people only, so a failure is null.
 *
 * Git reads its configuration from the folder it is asked about, and some settings there name
 * programs. Those are switched off, and a repository that is not a checkout is not taken for one.
 */
import { dirname, join } from "node:path";
import { pathExists } from "../path-exists.ts";
import type { Provenance } from "./assembled-runtime.ts";
import type { SourcesDeps } from "./create-sources.ts";
import { pick } from "./host.ts";

const TIMEOUT_MS = 5_000;

const SAFE = [
  "-c",
  "core.fsmonitor=false",
  "-c",
  "core.hooksPath=/dev/null",
  "-c",
  "safe.bareRepository=explicit",
];

/** `source` is absolute and real. */
export async function readProvenance(
  { fs, host, run }: Pick<SourcesDeps, "fs" | "host" | "run">,
  source: string,
): Promise<Provenance> {
  // Git would look for the same, but to load what starts it takes longer than a small tree.
  if (!isInCheckout(fs, source)) return { source, commit: null, dirty: null };
  const env = {
    ...pick(host.env, ["PATH", "HOME"]),
    LC_ALL: "C",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
  };
  const git = async (...args: string[]): Promise<string | null> => {
    const result = await run({
      file: "git",
      args: [...SAFE, ...args],
      cwd: source,
      env,
      timeoutMs: TIMEOUT_MS,
    });
    return result.kind === "exited" && result.code === 0 ? result.stdout : null;
  };
  const [head, status] = await Promise.all([
    git("rev-parse", "--verify", "--quiet", "HEAD"),
    git("status", "--porcelain", "--untracked-files=normal", "--ignore-submodules=all", "--", "."),
  ]);
  const commit = head?.trim() ?? "";
  if (!/^[0-9a-f]{40,64}$/.test(commit)) return { source, commit: null, dirty: null };
  return { source, commit, dirty: status === null ? null : status.trim() !== "" };
}

function isInCheckout(fs: SourcesDeps["fs"], folder: string): boolean {
  if (pathExists(fs, join(folder, ".git"))) return true;
  const parent = dirname(folder);
  return parent !== folder && isInCheckout(fs, parent);
}
