/** The oldest Node that swarm-gen runs on; package.json and bin/start.cjs say the same, and a test holds them together. */
export const MINIMUM_NODE = "22.19.0";

/** `version` as in `process.versions.node`. */
export function isSupportedNode(version: string): boolean {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  const [leastMajor = 0, leastMinor = 0] = MINIMUM_NODE.split(".").map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}
