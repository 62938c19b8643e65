/**
 * Checks a local tarball against what the lockfile records of it.
 *
 * A tarball that was packed anew under the same version keeps its name and its version, so only
 * its bytes tell. And a lockfile can hold the new bytes' integrity beside the old dependencies, so
 * the manifest inside is compared as well.
 */
import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { Parser } from "tar";
import type { Disagreement, LockedPackage } from "./lockfile.ts";
import { manifestDifferences, parseManifest } from "./package-manifest.ts";

const UNPACKED_BYTES = 1024 * 1024 * 1024;
const MANIFEST_BYTES = 4 * 1024 * 1024;

/** `path` is the tarball's in the source, `bytes` its content. */
export function checkTarball(path: string, bytes: Buffer, locked: LockedPackage): Disagreement[] {
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
  const manifest = manifestIn(bytes);
  if (manifest === null)
    return [{ what: `${path} holds no package.json`, mend: `pack it anew with npm pack` }];
  const parsed = parseManifest(manifest);
  if (parsed.kind === "malformed")
    return [{ what: `the package.json in ${path} ${parsed.why}`, mend: `pack it anew with npm pack` }];
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

/** The content of `<folder>/package.json`, the last one as npm would leave it; null where there is none. */
function manifestIn(bytes: Buffer): Buffer | null {
  let found: Buffer | null = null;
  const parser = new Parser({ strict: true });
  parser.on("entry", (entry) => {
    const isManifest = /^[^/]+\/package\.json$/.test(entry.path) && entry.size <= MANIFEST_BYTES;
    if (!isManifest) {
      entry.resume();
      return;
    }
    const pieces: Buffer[] = [];
    entry.on("data", (piece: Buffer) => pieces.push(piece));
    entry.on("end", () => {
      found = Buffer.concat(pieces);
    });
  });
  try {
    const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
    parser.end(isGzip ? gunzipSync(bytes, { maxOutputLength: UNPACKED_BYTES }) : bytes);
  } catch {
    // Whatever is wrong with it, it is no tarball that could be compared.
    return null;
  }
  return found;
}
