/**
 * Checks a local tarball against what the lockfile records of it.
 *
 * A tarball that was packed anew under the same version keeps its name and its version, so only
 * its bytes tell. And a lockfile can hold the new bytes' integrity beside the old dependencies, so
 * the manifest inside is compared as well.
 */
import { createHash } from "node:crypto";
import { CodedError } from "../../kernel/errors.ts";
import { fileInMemory } from "./archive/file-in-memory.ts";
import { type ContentSink, readArchive } from "./archive/read-archive.ts";
import type { Disagreement, LockedPackage } from "./lockfile.ts";
import { manifestDifferences, type ParsedManifest, parseManifest } from "./package-manifest.ts";

const MANIFEST_BYTES = 4 * 1024 * 1024;

/** `path` is the tarball's in the source, `bytes` its content. */
export async function checkTarball(
  path: string,
  bytes: Buffer,
  locked: LockedPackage,
): Promise<Disagreement[]> {
  // Locking anew is not enough: npm keeps a record whose version did not change.
  const mend = `npm uninstall ${locked.name} && npm install ./${path}`;
  if (!hasIntegrity(bytes, locked.integrity ?? "")) {
    return [
      {
        what: `${path} is not the tarball that the lockfile records for ${locked.path}: its integrity differs`,
        mend,
      },
    ];
  }
  const parsed = await manifestIn(path, bytes);
  if (parsed.kind === "malformed")
    return [{ what: `${path} ${parsed.why}`, mend: "pack it anew with npm pack" }];
  return manifestDifferences(locked.name, parsed.manifest, locked).map((what) => ({
    what: `${path}: ${what}`,
    mend,
  }));
}

/** Whether the strongest digest of a Subresource Integrity string is that of `bytes`; SHA-1 counts for nothing. */
function hasIntegrity(bytes: Buffer, integrity: string): boolean {
  const digests = integrity.split(/\s+/).map((entry) => /^(sha\d+)-([A-Za-z0-9+/=]+)/.exec(entry));
  for (const algorithm of ["sha512", "sha384", "sha256"]) {
    const expected = digests.filter((entry) => entry?.[1] === algorithm).map((entry) => entry?.[2]);
    if (expected.length > 0) return expected.includes(createHash(algorithm).update(bytes).digest("base64"));
  }
  return false;
}

const IGNORED: ContentSink = { write() {}, end() {} };

/** The package.json below the archive's top folder. `why` is a sentence about the archive. */
async function manifestIn(path: string, bytes: Buffer): Promise<ParsedManifest> {
  const pieces: Buffer[] = [];
  let isThere = false;
  try {
    await readArchive({
      fs: fileInMemory(bytes),
      archive: path,
      onFile(file) {
        if (file.path !== "package.json" || file.sizeBytes > MANIFEST_BYTES) return IGNORED;
        isThere = true;
        return { write: (piece) => pieces.push(Buffer.from(piece)), end() {} };
      },
    });
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    return { kind: "malformed", why: `cannot be read as a package: ${error.message}` };
  }
  if (!isThere) return { kind: "malformed", why: "holds no package.json" };
  const parsed = parseManifest(Buffer.concat(pieces));
  return parsed.kind === "manifest"
    ? parsed
    : { kind: "malformed", why: `holds a package.json that ${parsed.why}` };
}
