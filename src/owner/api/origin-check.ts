/**
 * What comes over TCP may come from a web page: a page that a browser shows can send requests to
 * 127.0.0.1, and a name that its author owns can be made to point there. So the host must be the
 * loopback's own name at our port, and a page's origin is never accepted.
 */
import type { IncomingMessage } from "node:http";
import { CodedError } from "../../kernel/errors.ts";

/** `invalid_input` for a request without a host, or with two, of which others may believe the other. */
export function requireOneHost({ headersDistinct }: Pick<IncomingMessage, "headersDistinct">): void {
  if (headersDistinct.host?.length === 1) return;
  throw new CodedError("invalid_input", "The request does not name one host, as HTTP/1.1 asks.", {
    hint: "On the socket any name will do, such as localhost.",
    fields: { header: "host", changed: false },
  });
}

/** `forbidden`. */
export function refuseWebPages({ headers }: Pick<IncomingMessage, "headers">, port: number): void {
  const { host, origin } = headers;
  const names = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (host === undefined || !names.includes(host.toLowerCase())) {
    throw refusal(`The request is meant for another host than ${names.join(" or ")}.`);
  }
  if (origin !== undefined) throw refusal("The request comes from a web page.");
}

function refusal(message: string): CodedError {
  return new CodedError("forbidden", message, {
    hint: "Send it from a program, to 127.0.0.1, without an Origin header.",
    fields: { changed: false },
  });
}
