import { describe, expect, it } from "vitest";
import { codedProblem } from "../../src/client/problem.ts";
import { CATALOGUE, CodedError, type ErrorCode } from "../../src/kernel/errors.ts";
import { ERROR_SCHEMA } from "../../src/operations/schemas/output-schemas.ts";
import { problemOf } from "../../src/owner/api/problem.ts";
import { createStyle } from "../../src/surface/cli/render/style.ts";
import { reportError } from "../../src/surface/cli/report-error.ts";

const plain = createStyle(false);

/** As an owner refuses, over its socket, to a command line. */
function overHttp(error: CodedError): { status: unknown; received: CodedError } {
  const problem = JSON.parse(JSON.stringify(problemOf(error)));
  return { status: problem.status, received: codedProblem(problem, problem.status) };
}

describe.each(Object.entries(CATALOGUE))("%s", (code, { exit, http, retryable, todo }) => {
  const error = new CodedError(code as ErrorCode, `What happened to t-1.`, {
    fields: { task: "t-1", changed: false },
  });

  it("is the same code with the same facts from the command itself and from an owner", () => {
    const { status, received } = overHttp(error);
    expect(status).toBe(http);
    for (const each of [error, received]) {
      const { exitCode, json, text } = reportError(each, plain, false);
      const value = JSON.parse(json);
      expect(exitCode).toBe(exit);
      expect(value).toEqual({
        ok: false,
        code,
        message: "What happened to t-1.",
        hint: todo,
        retryable,
        task: "t-1",
        changed: false,
      });
      expect(ERROR_SCHEMA.parse(value)).toEqual(value);
      expect(text).toBe(`error[${code}]: What happened to t-1.\nhint: ${todo}\n`);
    }
  });
});

describe("an answer of an owner that is newer than the command line", () => {
  it("with a code that is not known is told, and ends as a bug does", () => {
    const received = codedProblem({ code: "from_the_future", message: "It went.", hint: "Look." }, 409);
    const { exitCode, json } = reportError(received, plain, false);
    expect(exitCode).toBe(1);
    expect(JSON.parse(json)).toMatchObject({
      code: "internal",
      message: "It went.",
      answered: "from_the_future",
    });
  });

  it("that is no JSON of ours names the status", () => {
    expect(codedProblem("<html>", 502).message).toBe("The owner answered with HTTP status 502.");
  });
});
