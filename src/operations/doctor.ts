/**
 * doctor: facts of the machine and the store, and findings with the fix of each.
 *
 * A fault keeps swarm-gen from working, or makes its promises untrue; a warning costs speed or
 * room, or will become a fault. Whatever keeps the store from opening is a finding here, so that
 * the command that explains a broken store does not break on it.
 */
import { join } from "node:path";
import { CodedError } from "../kernel/errors.ts";
import { shellWord } from "../kernel/shell-word.ts";
import { createLayout, STAGING_PREFIX, TRASH_PREFIX } from "../store/layout.ts";
import type { Store } from "../store/store.ts";
import { asStoreError } from "../store/store-errors.ts";
import type { HomeFolders } from "./home.ts";
import type { HostInspection } from "./host-inspection.ts";
import { isSupportedNode, MINIMUM_NODE } from "./supported-node.ts";

export interface DoctorFinding {
  readonly severity: "fault" | "warning";
  /** Stable, for scripts. */
  readonly check: string;
  readonly message: string;
  readonly fix: string;
}

export interface DoctorOutput {
  /** No fault was found. */
  readonly ok: boolean;
  readonly facts: Readonly<Record<string, string>>;
  readonly findings: readonly DoctorFinding[];
}

export interface DoctorDeps {
  readonly folders: HomeFolders;
  readonly inspection: HostInspection;
  readonly profile: string;
  readonly openStore: () => Promise<Store>;
}

interface Report {
  fact(name: string, value: string): void;
  fault(check: string, message: string, fix: string): void;
  warning(check: string, message: string, fix: string): void;
}

export async function doctor(deps: DoctorDeps): Promise<DoctorOutput> {
  const facts: Record<string, string> = {};
  const findings: DoctorFinding[] = [];
  const report: Report = {
    fact: (name, value) => {
      facts[name] = value;
    },
    fault: (check, message, fix) => findings.push({ severity: "fault", check, message, fix }),
    warning: (check, message, fix) => findings.push({ severity: "warning", check, message, fix }),
  };
  checkHost(deps.inspection, report);
  await asFinding(report, async () => {
    checkPlace(deps, report);
    await checkStore(deps, report);
  });
  return { ok: findings.every(({ severity }) => severity === "warning"), facts, findings };
}

async function asFinding(report: Report, check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    const coded = asStoreError(error, "look at the store");
    if (!(coded instanceof CodedError)) throw error;
    report.fault(coded.code, coded.message, coded.hint);
  }
}

function checkHost(inspection: HostInspection, report: Report): void {
  const { platform, architecture, nodeVersion, nodePath } = inspection;
  report.fact("platform", `${platform}-${architecture}`);
  report.fact("node", `${nodeVersion} (${nodePath})`);
  if (platform !== "linux" && platform !== "darwin") {
    report.fault("platform", `${platform} is neither Linux nor macOS.`, "Use Linux or macOS.");
  }
  if (!isSupportedNode(nodeVersion)) {
    report.fault("node", `Node ${nodeVersion} is too old.`, `Use Node ${MINIMUM_NODE} or newer.`);
  }
  const npm = inspection.program("npm");
  report.fact("npm", npm ?? "not found");
  if (npm === null) {
    report.warning(
      "npm",
      "npm is not in PATH; recipes with npm dependencies cannot be built.",
      "Install npm, or stage with --bare.",
    );
  }
  const git = inspection.program("git");
  report.fact("git", git ?? "not found");
  if (git === null) {
    report.warning(
      "git",
      "git is not in PATH; generations are staged without the commit they came from.",
      "Install git.",
    );
  }
  report.fact(
    "flush",
    inspection.hasFileSystemFlush() ? "one call for a file system" : "one call for each file",
  );
  if (platform === "linux" && !inspection.hasFileSystemFlush()) {
    report.warning(
      "flush",
      "There is no sync program; each file is flushed by itself, which is slow.",
      "Install coreutils.",
    );
  }
}

const LOW_BYTES = 1_000_000_000;

function checkPlace({ folders, inspection }: DoctorDeps, report: Report): void {
  report.fact("store", folders.store);
  report.fact("cache", folders.cache);
  report.fact("state", folders.state);
  const fileSystem = inspection.fileSystemOf(folders.store);
  report.fact("file system", fileSystem?.type ?? "unknown");
  if (fileSystem === null) return;
  if (fileSystem.isNetwork) {
    report.warning(
      "network-file-system",
      `The store stands on ${fileSystem.type}, where locks and memory maps of the index are not reliable.`,
      "Set SWARM_GEN_HOME to a folder on a local disk.",
    );
  }
  if (fileSystem.freeBytes < LOW_BYTES) {
    report.warning(
      "free-space",
      `Only ${Math.floor(fileSystem.freeBytes / 1_000_000)} MB are free where the store stands.`,
      "swarm-gen store gc frees what nothing keeps.",
    );
  }
}

async function checkStore(deps: DoctorDeps, report: Report): Promise<void> {
  const { folders, inspection, profile } = deps;
  const layout = createLayout(folders.store);
  const place = inspection.ownership(layout.root);
  const index = place?.isFolder === true ? inspection.ownership(layout.index) : null;
  const { sqliteVersion, journal } = inspection.describeIndex(index === null ? null : layout.index);
  report.fact("sqlite", sqliteVersion);
  if (place === null) {
    report.fact("generations", "no store yet");
    return;
  }
  if (place.isFolder && (place.mode & 0o077) !== 0 && (place.mode & 0o022) === 0) {
    report.warning(
      "store-readable",
      "Other users can read the store.",
      `chmod 700 ${shellWord(layout.root)}`,
    );
  }
  if (journal !== null) {
    report.fact("journal", journal);
    if (journal !== "wal") {
      report.fault(
        "journal",
        `The index's journal is ${journal}, not wal.`,
        "Copy index.sqlite away and report it as a bug.",
      );
    }
  }
  report.fact("sharing", inspection.sharing(layout.generations) ?? "could not be tried");
  checkLeftOvers(inspection.names(layout.generations), report);
  const store = await deps.openStore();
  await checkContents(store, profile, report);
  await checkCurrent(store, profile, report);
}

function checkLeftOvers(names: readonly string[], report: Report): void {
  const count = names.filter(
    (name) => name.startsWith(STAGING_PREFIX) || name.startsWith(TRASH_PREFIX),
  ).length;
  if (count === 0) return;
  report.warning(
    "left-overs",
    `${count} unfinished or removed trees stand in the store; those that no process works on are left-overs.`,
    "swarm-gen store gc sweeps them.",
  );
}

async function checkContents(store: Store, profile: string, report: Report): Promise<void> {
  const info = await store.info();
  report.fact("generations", `${info.generations}, ${info.pinned} pinned`);
  for (const alarm of info.alarms)
    report.warning("alarm", alarm, "swarm-gen why ID tells what keeps a generation.");
  const admission = store.admission.read(profile);
  report.fact("admission", `${admission.state} (${profile})`);
  if (admission.state === "closed") {
    const holder =
      admission.holder === null ? "nobody" : `${admission.holder.command} (process ${admission.holder.pid})`;
    report.warning(
      "admission",
      `New launches in ${profile} wait since ${admission.since ?? "an unknown time"} for ${holder}: ${admission.reason ?? "no reason given"}.`,
      "Wait for the holder, or end it; the next replacement takes over from a dead one.",
    );
  }
}

async function checkCurrent(store: Store, profile: string, report: Report): Promise<void> {
  const current = store.history(profile).find((activation) => activation.current);
  report.fact(
    "current",
    current === undefined ? `none in ${profile}` : `${current.generation} (${profile}@${current.activation})`,
  );
  if (current === undefined) return;
  const { damage } = await store.verify({ generations: [current.generation], quick: true });
  if (damage.length === 0) return;
  report.fault(
    "current-damaged",
    `The current generation of ${profile} is damaged at ${damage.length} paths, the first ${join(current.generation.slice(0, 12), damage[0]?.path ?? "")}.`,
    `swarm-gen repair ${current.generation.slice(0, 12)}`,
  );
}
