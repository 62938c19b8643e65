/** Errors as `application/problem+json` (RFC 9457), with the catalogue's code and all of its fields. */
import type { z } from "zod";
import { CATALOGUE, CodedError } from "../../kernel/errors.ts";

const MOST_ISSUES = 10;
const MOST_TEXT = 300;

/** `{type, title, status, code, message, hint, retryable, …fields}` */
export function problemOf(error: CodedError): Record<string, unknown> {
  const { http: status, when: title } = CATALOGUE[error.code];
  return { ...error.toJSON(), type: `urn:swarm-gen:error:${error.code}`, title, status };
}

/** A bug is told to the log; to a client only that there was one. */
export function codedOf(error: unknown): CodedError {
  if (error instanceof CodedError) return error;
  return new CodedError("internal", "The owner met a bug; its log says more.", {
    hint: "swarm-gen owner logs",
    cause: error,
    fields: { changed: false },
  });
}

/** Names the path of each fault in the input. */
export function invalidInput(operation: string, { issues }: z.ZodError): CodedError {
  const faults = issues.slice(0, MOST_ISSUES).map(({ path, message }) => ({
    path: shortened(path.map(String).join(".")),
    message: shortened(message),
  }));
  const sentences = faults.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  return new CodedError("invalid_input", `The input of ${operation} is malformed: ${sentences.join("; ")}.`, {
    fields: { operation, issues: faults, changed: false },
  });
}

const shortened = (text: string): string =>
  text.length <= MOST_TEXT ? text : `${text.slice(0, MOST_TEXT - 1)}…`;
