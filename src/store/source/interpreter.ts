/**
 * Resolves the interpreter that a generation carries as `bin/node`: the file itself, what it says
 * of itself when it runs, its digest, and the libraries that it needs from outside.
 *
 * What was learned is remembered beside the builds under the file's stat key, since digesting
 * 120 MB and starting two programs would be most of an unchanged stage. A file that changed in
 * the last seconds is not remembered: its stat key could stay the same through one more write.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { z } from "zod";
import { canonicalBytes } from "../../kernel/canonical-json.ts";
import type { Clock } from "../../kernel/clock.ts";
import { CodedError, systemCode } from "../../kernel/errors.ts";
import type { FileSystem } from "../file-system.ts";
import { blobHasher, type Digest } from "../identity/object-id.ts";
import { addAt } from "../identity/tree-table.ts";
import { type RecordDeps, readRecord, writeRecord } from "./build-record.ts";
import type { Interpreter } from "./generation-file.ts";
import { foreignLibraries, type LinkedLibrary, linkedLibraries } from "./linked-libraries.ts";
import { fileMode, type Plan, setOrigin } from "./plan.ts";
import type { RunCommand } from "./run-command.ts";
import { statKey } from "./stat-key.ts";

/** Where it stands in a generation's tree. */
export const INTERPRETER_PATH = "bin/node";

export interface InterpreterDeps extends RecordDeps {
  readonly clock: Clock;
  readonly run: RunCommand;
  readonly platform: string;
}

export interface ResolvedInterpreter {
  readonly interpreter: Interpreter;
  /** The version of its binary interface for native modules. */
  readonly abi: string;
  /** Plans it at its place. */
  readonly addTo: (plan: Plan) => void;
}

/** Throws `recipe_invalid` for what is no interpreter, or leans on foreign libraries without leave. */
export async function resolveInterpreter(
  deps: InterpreterDeps,
  path: string,
  acceptForeignLibraries: boolean,
): Promise<ResolvedInterpreter> {
  const from = realFile(deps.fs, path);
  const stats = deps.fs.lstatSync(from, { bigint: true });
  if (!stats.isFile()) throw refused(path, "is not a file");
  if ((stats.mode & 0o111n) === 0n) throw refused(path, "is not executable");
  const key = statKey(stats);
  const record = `interpreter-${bytesToHex(sha256(utf8ToBytes(`1\0${from}\0${key}`)))}`;
  let facts = rememberedFacts(deps, record);
  if (facts === null) {
    facts = await learn(deps, from, Number(stats.size));
    if (statKey(deps.fs.lstatSync(from, { bigint: true })) !== key)
      throw refused(path, "changed while it was read");
    const ageMs = deps.clock.now() - Number(stats.ctimeMs);
    if (ageMs > SETTLED_MS) writeRecord(deps, record, canonicalBytes(facts));
  }
  if (facts.foreign.length > 0 && !acceptForeignLibraries) throw foreignRefused(path, facts.foreign);
  return {
    abi: facts.abi,
    interpreter: {
      name: "node",
      version: facts.version,
      digest: facts.digest,
      path: INTERPRETER_PATH,
      ...(facts.foreign.length === 0 ? {} : { foreignLibraries: facts.foreign }),
    },
    addTo(plan) {
      const row = addAt(plan.tree, INTERPRETER_PATH, { mode: fileMode(true), size: Number(stats.size) });
      setOrigin(plan, row, from, stats);
    },
  };
}

const SETTLED_MS = 10_000;

const factsSchema = z.strictObject({
  version: z.string().regex(/^v\d{1,4}\.\d{1,4}\.\d{1,4}[\w.+-]{0,64}$/),
  abi: z.string().regex(/^\d{1,6}$/),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  /** Paths of foreign libraries, or their names where the loader finds none. */
  foreign: z.array(z.string()),
});

type Facts = z.infer<typeof factsSchema>;

function rememberedFacts(deps: RecordDeps, record: string): Facts | null {
  const bytes = readRecord(deps, record);
  if (bytes === null) return null;
  try {
    return factsSchema.parse(JSON.parse(bytes.toString("utf8")));
  } catch {
    // A record only saves time: one that cannot be read is written anew.
    return null;
  }
}

async function learn(deps: InterpreterDeps, from: string, size: number): Promise<Facts> {
  const magic = readStart(deps.fs, from);
  if (!isBinary(magic)) throw refused(from, "is a script or a shim, not the interpreter itself");
  const said = await ask(deps.run, from);
  const linked = await linkedLibraries(deps.run, deps.platform, from);
  if (linked.kind === "unknown") throw refused(from, `links libraries that cannot be told (${linked.why})`);
  const foreign = foreignLibraries(deps.platform, linked.libraries).map(shownLibrary).sort();
  return { ...said, digest: digestFile(deps.fs, from, size), foreign };
}

const QUESTION = "JSON.stringify([process.release.name, process.version, process.versions.modules])";

async function ask(run: RunCommand, from: string): Promise<{ version: string; abi: string }> {
  const result = await run({
    file: from,
    args: ["-p", QUESTION],
    cwd: "/",
    env: { LC_ALL: "C" },
    timeoutMs: 20_000,
  });
  if (result.kind !== "exited") throw refused(from, `does not run: it ${result.why}`);
  if (result.code !== 0) throw refused(from, `does not run: ${result.stderr.trim().slice(0, 300)}`);
  try {
    const [, version, abi] = z
      .tuple([z.literal("node"), factsSchema.shape.version, factsSchema.shape.abi])
      .parse(JSON.parse(result.stdout));
    return { version, abi };
  } catch (cause) {
    throw refused(from, "does not answer as Node.js does", cause);
  }
}

/** Git's blob digest of a file, read in pieces. Throws `source_refused` where its size is not `size`. */
export function digestFile(fs: FileSystem, from: string, size: number): Digest {
  const hasher = blobHasher(size);
  const piece = Buffer.allocUnsafe(1024 * 1024);
  const opened = fs.openSync(from, "r");
  try {
    let total = 0;
    for (let read = fs.readSync(opened, piece); read > 0; read = fs.readSync(opened, piece)) {
      hasher.update(piece.subarray(0, read));
      total += read;
    }
    if (total !== size) throw refused(from, "changed while it was read");
    return hasher.digest();
  } finally {
    fs.closeSync(opened);
  }
}

function readStart(fs: FileSystem, from: string): Buffer {
  const start = Buffer.alloc(4);
  const opened = fs.openSync(from, "r");
  try {
    fs.readSync(opened, start);
    return start;
  } finally {
    fs.closeSync(opened);
  }
}

/** ELF, or Mach-O for one or for several architectures. */
function isBinary(start: Buffer): boolean {
  return ["7f454c46", "cffaedfe", "cafebabe"].includes(start.toString("hex"));
}

function realFile(fs: FileSystem, path: string): string {
  try {
    return fs.realpathSync(path);
  } catch (error) {
    if (systemCode(error) === null) throw error;
    throw refused(path, `cannot be read (${systemCode(error)})`, error);
  }
}

function shownLibrary({ name, path }: LinkedLibrary): string {
  return path ?? name;
}

function refused(path: string, why: string, cause?: unknown): CodedError {
  return new CodedError("recipe_invalid", `The interpreter ${path} ${why}.`, {
    cause,
    hint: 'Name a Node.js binary in the recipe: "interpreter": {"path": "…/bin/node"}; the npm package "node" brings one.',
    fields: { interpreter: path, changed: false },
  });
}

function foreignRefused(path: string, foreign: readonly string[]): CodedError {
  return new CodedError(
    "recipe_invalid",
    `The interpreter ${path} links libraries beyond the system's C and C++ runtime: ${foreign.join(", ")}. A generation that carries it would break when they are upgraded or removed.`,
    {
      hint: 'Use a self-contained one: npm install --save-dev node, then "interpreter": {"path": "node_modules/node/bin/node"}. Or accept them with "acceptForeignLibraries": true; they are then recorded.',
      fields: { interpreter: path, libraries: foreign, changed: false },
    },
  );
}
