/** A request to an owner, as it goes over the wire. */
import { API_VERSIONS, apiRangeText } from "../kernel/api-version.ts";
import { CodedError } from "../kernel/errors.ts";

/** What an owner takes. */
const MOST_BODY_BYTES = 1024 * 1024;

export interface RequestParts {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** The caller's secret; null where none is needed. */
  readonly capability: string | null;
  readonly commandId?: string;
  /** What every version of an owner answers alike: who it is, and that it is to stop. */
  readonly ofEveryVersion?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** A JSON value; absent for GET. */
  readonly body?: unknown;
}

/** `invalid_input` for a body that no owner would take. */
export function requestBytes(parts: RequestParts): Buffer {
  const { method, path, capability, commandId, headers, body, ofEveryVersion = false } = parts;
  const content = body === undefined ? "" : JSON.stringify(body);
  const bytes = Buffer.byteLength(content);
  if (bytes > MOST_BODY_BYTES) {
    throw new CodedError("invalid_input", `The input has ${bytes} bytes; ${MOST_BODY_BYTES} may be sent.`, {
      fields: { changed: false },
    });
  }
  const lines = [
    `${method} ${path} HTTP/1.1`,
    // The socket names the owner; HTTP/1.1 asks for a host all the same.
    "host: localhost",
    ...(ofEveryVersion ? [] : [`swarm-gen-api: ${apiRangeText(API_VERSIONS)}`]),
    ...(capability === null ? [] : [`authorization: Bearer ${capability}`]),
    ...(commandId === undefined ? [] : [`swarm-gen-command: ${commandId}`]),
    ...(body === undefined ? [] : ["content-type: application/json", `content-length: ${bytes}`]),
    ...Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${content}`, "utf8");
}
