/**
 * Do client and owner speak a version of the API in common? If not, which of them is older: the
 * numbers of the API alone say that, never builds or ids.
 */
import { API_VERSIONS, apiRangeText, parseApiRange } from "../../kernel/api-version.ts";
import { CodedError } from "../../kernel/errors.ts";

/** `header` is the client's `swarm-gen-api`; a client that names none is taken to speak ours. */
export function refuseOtherVersions(header: string | undefined, own = API_VERSIONS): void {
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
      hint:
        older === "owner"
          ? "Restart it from the newer program: swarm-gen owner stop, then swarm-gen owner start."
          : "Use the owner's own program: swarm-gen run @current cli -- …, or update this one.",
      fields: { older, ...ranges, changed: false },
    },
  );
}
