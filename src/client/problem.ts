/** `application/problem+json` of an owner as the coded error that it was there. */
import { CATALOGUE, CodedError, type ErrorCode } from "../kernel/errors.ts";

/** What HTTP adds to the error; the rest is the error's own. */
const OF_HTTP = new Set(["ok", "type", "title", "status", "retryable", "code", "message", "hint"]);

/** `body` is the parsed answer. A code that this program does not know yet is told in the fields. */
export function codedProblem(body: unknown, status: number): CodedError {
  const problem = isObject(body) ? body : {};
  const { code, message, hint } = problem;
  const fields = Object.fromEntries(Object.entries(problem).filter(([name]) => !OF_HTTP.has(name)));
  const text = typeof message === "string" ? message : `The owner answered with HTTP status ${status}.`;
  const details = typeof hint === "string" ? { hint } : {};
  if (typeof code === "string" && Object.hasOwn(CATALOGUE, code)) {
    return new CodedError(code as ErrorCode, text, { ...details, fields });
  }
  return new CodedError("internal", text, { ...details, fields: { ...fields, status, answered: code } });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
