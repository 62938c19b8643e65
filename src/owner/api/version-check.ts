/**
 * Do client and owner speak a version of the API in common? If not, which of them is older: the
 * numbers of the API alone say that, never builds or ids.
 */
import { apiRangeText, parseApiRange } from "../../kernel/api-version.ts";
import { CodedError } from "../../kernel/errors.ts";

export interface VersionedOwner {
  readonly api: readonly [least: number, newest: number];
  readonly generation: string | null;
}

/** `header` is the client's `swarm-gen-api`; a client that names none is taken to speak ours. */
export function refuseOtherVersions(header: string | undefined, owner: VersionedOwner): void {
  const { api: own, generation } = owner;
  if (header === undefined) return;
  const client = parseApiRange(header);
  if (client === null) {
    throw new CodedError("invalid_input", "The header swarm-gen-api is no range of versions, such as 1-1.", {
      fields: { header: "swarm-gen-api", changed: false },
    });
  }
  const [least, newest] = client;
  if (newest >= own[0] && least <= own[1]) return;
  const older = newest < own[0] ? "client" : "owner";
  const ranges = { client: apiRangeText(client), owner: apiRangeText(own) };
  throw new CodedError(
    "coordinator_version_mismatch",
    `The ${older} is older: the client speaks API ${ranges.client}, the owner ${ranges.owner}.`,
    {
      hint: older === "owner" ? newerOwner(generation) : newerClient(generation),
      fields: { older, ...ranges, generation, changed: false },
    },
  );
}

function newerOwner(generation: string | null): string {
  const restart = "Start it anew from the newer program: swarm-gen owner stop, then swarm-gen owner start.";
  if (generation === null) return restart;
  return `${restart} Where the scope's own generation is still ${short(generation)}, activate a newer one first, or use its program: ${programOf(generation)}.`;
}

/** A newer owner is never to be stopped for an older client. */
function newerClient(generation: string | null): string {
  if (generation === null) return "Update this program; swarm-gen owner status tells the owner's build.";
  return `Use the owner's own program: ${programOf(generation)}; or update this one.`;
}

const short = (generation: string): string => generation.slice(0, 12);
const programOf = (generation: string): string => `swarm-gen run ${short(generation)} cli …`;
