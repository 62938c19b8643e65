import { expect, it } from "vitest";
import { CodedError } from "../../src/kernel/errors.ts";

it("an error holds no secret in its message, its hint, its fields or its JSON", () => {
  const error = new CodedError("build_failed", "npm: _authToken=hunter2hunter2 failed", {
    hint: "Look at https://me:hunter2@npm.example/x",
    fields: {
      output: ["GET with Bearer hunter2.hunter2"],
      findings: [{ path: "a.js", detail: "password: hunter2" }],
      changed: false,
      count: 2,
      none: null,
    },
  });
  expect(JSON.stringify([error, error.message, error.hint, error.fields])).not.toContain("hunter2");
  expect(error.fields).toMatchObject({ changed: false, count: 2, none: null, findings: [{ path: "a.js" }] });
});
