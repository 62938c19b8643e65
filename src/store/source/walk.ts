/**
 * walkFolder: reads the shape of a folder, and says what in it no generation may hold.
 *
 *   in   the folder's absolute real path; what to take (default: everything)
 *   out  plan      files with their stat keys, links with their targets, folders that are empty; and
 *                  every folder that was read, to notice later that an entry came or went
 *        findings  all of them, so that one try names everything that must be mended
 *
 * No content is read and no link is ever followed. Synchronous on purpose: the cost is one system
 * call an entry, and asynchronous walks are four to nine times slower.
 * The root's own `.git` is left out: it is how a source is kept, not what a runtime runs, and Git
 * cannot hold it in a tree.
 */
import { type BigIntStats, constants } from "node:fs";
import { systemCode } from "../../kernel/errors.ts";
import type { FileSystem } from "../file-system.ts";
import { addRow, folderAt, MODE } from "../identity/tree-table.ts";
import { isGitsOwn, nameProblem, shownName } from "./entry-name.ts";
import { type Finding, type FindingKind, finding } from "./finding.ts";
import { createPlan, fileMode, type Plan, setOrigin } from "./plan.ts";
import { SOURCE_BOUNDS, type SourceBounds } from "./source-bounds.ts";

/** What a walk takes. Paths are relative to the root; what is not taken is not looked at. */
export interface Selection {
  /** Whether something taken may stand below this folder. */
  descends(folder: string): boolean;
  /** Whether this file, link or empty folder is taken. */
  takes(path: string): boolean;
}

export interface WalkRequest {
  readonly fs: Pick<FileSystem, "closeSync" | "lstatSync" | "openSync" | "readdirSync" | "readlinkSync">;
  readonly root: string;
  /** Walk only this folder of the root; paths stay relative to the root. */
  readonly below?: string;
  readonly selection?: Selection;
  readonly bounds?: SourceBounds;
}

export interface WalkResult {
  readonly plan: Plan;
  readonly findings: Finding[];
}

interface Walk extends Required<Omit<WalkRequest, "selection" | "below">> {
  readonly selection: Selection | null;
  readonly result: WalkResult;
  /** The root with one "/" at its end. */
  readonly origin: string;
  seen: number;
  sizeBytes: number;
  /** Set when a bound on the whole is passed: what is left is not looked at. */
  stopped: boolean;
}

export function walkFolder(request: WalkRequest): WalkResult {
  const walk: Walk = {
    fs: request.fs,
    root: request.root,
    selection: request.selection ?? null,
    bounds: request.bounds ?? SOURCE_BOUNDS,
    result: { plan: createPlan(), findings: [] },
    origin: request.root.endsWith("/") ? request.root : `${request.root}/`,
    seen: 0,
    sizeBytes: 0,
    stopped: false,
  };
  walkInto(walk, request.below ?? "", 0);
  return walk.result;
}

function walkInto(walk: Walk, folder: string, depth: number): void {
  const from = folder === "" ? walk.root : walk.origin + folder;
  // The key is taken before the names are read: an entry that appears in between changes it.
  const stats = tryRead(walk, folder, () => walk.fs.lstatSync(from, { bigint: true }));
  if (stats !== null && !stats.isDirectory()) {
    refuse(walk, "changed", folder, "it is not a folder");
    return;
  }
  const names = stats && namesIn(walk, folder, from);
  if (stats === null || names === null) return;
  const { plan } = walk.result;
  const row = folderAt(plan.tree, folder);
  setOrigin(plan, row, walk.origin, stats);
  if (names.length === 0) {
    if (folder !== "" && (walk.selection?.takes(folder) ?? true)) plan.tree.modes[row] = MODE.emptyFolder;
    return;
  }
  for (const name of names) {
    if (walk.stopped) return;
    if (folder === "" && isGitsOwn(name)) continue;
    visit(walk, { path: folder === "" ? name : `${folder}/${name}`, name, parent: row, depth });
  }
}

interface Visited {
  readonly path: string;
  readonly name: string;
  /** The row of the folder that it stands in. */
  readonly parent: number;
  readonly depth: number;
}

function visit(walk: Walk, visited: Visited): void {
  const { selection } = walk;
  const { path, name, depth } = visited;
  const taken = selection === null || selection.takes(path);
  if (!taken && !selection.descends(path)) return;
  const from = walk.origin + path;
  const stats = tryRead(walk, path, () => walk.fs.lstatSync(from, { bigint: true }));
  if (stats === null) return;
  if (stats.isDirectory()) {
    if (selection !== null && !selection.descends(path)) return;
    if (!isAllowed(walk, path, name)) return;
    if (depth < walk.bounds.depth) walkInto(walk, path, depth + 1);
    else refuse(walk, "too-deep", path, `over ${walk.bounds.depth} folders`);
  } else if (taken && isAllowed(walk, path, name)) take(walk, visited, from, stats);
}

function isAllowed(walk: Walk, path: string, name: string): boolean {
  walk.seen += 1;
  if (walk.seen > walk.bounds.entries) {
    walk.stopped = true;
    refuse(walk, "too-many-entries", path, `over ${walk.bounds.entries} entries`);
    return false;
  }
  const problem = nameProblem(name);
  if (problem !== null) {
    refuse(walk, "name-not-portable", path, problem);
    return false;
  }
  // A path has at most three bytes for each UTF-16 unit, so short ones need no counting.
  if (path.length * 3 > walk.bounds.pathBytes && Buffer.byteLength(path) > walk.bounds.pathBytes) {
    refuse(walk, "too-deep", path, `a path over ${walk.bounds.pathBytes} bytes`);
    return false;
  }
  return true;
}

const OWNER_EXECUTES = 0o100n;
const SET_ID = 0o6000n;
const ALL_READ = 0o444n;

function take(walk: Walk, visited: Visited, from: string, stats: BigIntStats): void {
  const { path } = visited;
  if (stats.isSymbolicLink()) {
    takeLink(walk, visited, from);
  } else if (!stats.isFile()) {
    refuse(walk, specialKind(stats), path);
  } else if ((stats.mode & SET_ID) !== 0n) {
    refuse(walk, "set-id", path, `mode ${stats.mode.toString(8)}`);
  } else if ((stats.mode & ALL_READ) === ALL_READ || isReadable(walk, path, from)) {
    takeFile(walk, visited, stats);
  }
}

function takeLink(walk: Walk, { path, name, parent }: Visited, from: string): void {
  const target = linkTarget(walk, path, from);
  if (target === null) return;
  const { tree } = walk.result.plan;
  const row = addRow(tree, { parent, name, mode: MODE.link, size: Buffer.byteLength(target) });
  tree.targets.set(row, target);
}

function takeFile(walk: Walk, { path, name, parent }: Visited, stats: BigIntStats): void {
  const size = Number(stats.size);
  walk.sizeBytes += size;
  if (walk.sizeBytes > walk.bounds.sizeBytes) {
    walk.stopped = true;
    refuse(walk, "too-large", path, `over ${walk.bounds.sizeBytes} bytes in all`);
    return;
  }
  const { plan } = walk.result;
  const mode = fileMode((stats.mode & OWNER_EXECUTES) !== 0n);
  setOrigin(plan, addRow(plan.tree, { parent, name, mode, size }), walk.origin, stats);
}

function specialKind(stats: BigIntStats): FindingKind {
  if (stats.isSocket()) return "socket";
  return stats.isFIFO() ? "fifo" : "device";
}

// A file that became a fifo or a link since must neither block nor lead elsewhere.
const READ_NO_WAIT = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** Asked by opening, and only where the mode leaves a doubt: access lists and root overrule modes. */
function isReadable(walk: Walk, path: string, from: string): boolean {
  const opened = tryRead(walk, path, () => walk.fs.openSync(from, READ_NO_WAIT));
  if (opened === null) return false;
  walk.fs.closeSync(opened);
  return true;
}

function namesIn(walk: Walk, folder: string, from: string): string[] | null {
  const names = tryRead(walk, folder, () => walk.fs.readdirSync(from));
  if (names === null) return null;
  if (!names.some((name) => name.includes("\ufffd"))) return names;
  // The replacement character may truly stand there, or take the place of bytes that are no UTF-8.
  const raw = tryRead(walk, folder, () => walk.fs.readdirSync(from, { encoding: "buffer" }));
  return (raw ?? []).flatMap((bytes) => {
    const name = utf8(bytes);
    if (name !== null) return [name];
    const shown = escapedBytes(bytes);
    refuse(walk, "name-not-utf8", folder === "" ? shown : `${folder}/${shown}`);
    return [];
  });
}

function linkTarget(walk: Walk, path: string, from: string): string | null {
  const raw = tryRead(walk, path, () => walk.fs.readlinkSync(from, { encoding: "buffer" }));
  if (raw === null) return null;
  const target = utf8(raw);
  if (target === null) refuse(walk, "name-not-utf8", path, `its target is ${escapedBytes(raw)}`);
  return target;
}

function utf8(bytes: Buffer): string | null {
  const text = bytes.toString("utf8");
  return Buffer.from(text, "utf8").equals(bytes) ? text : null;
}

function escapedBytes(bytes: Buffer): string {
  return [...bytes]
    .map((byte) =>
      byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`,
    )
    .join("");
}

/** Null, with a finding, where the entry may not be read or is gone by now; anything else is thrown. */
function tryRead<T>(walk: Walk, path: string, read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    const code = systemCode(error);
    if (code === "EACCES" || code === "EPERM") refuse(walk, "unreadable", path, code);
    else if (code === "ENOENT" || code === "ENOTDIR" || code === "EINVAL")
      refuse(walk, "changed", path, code);
    else throw error;
    return null;
  }
}

function refuse(walk: Walk, kind: FindingKind, path: string, detail = ""): void {
  walk.result.findings.push(finding(kind, path === "" ? "." : shownName(path), detail));
}
