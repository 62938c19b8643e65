/**
 * What comes over TCP may come from a web page: a page that a browser shows can send requests to
 * 127.0.0.1, and a name that its author owns can be made to point there. So the host must be the
 * loopback's own name at our port, and a page's origin is never accepted.
 */
import type { IncomingMessage } from "node:http";
import { CodedError } from "../../kernel/errors.ts";

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
