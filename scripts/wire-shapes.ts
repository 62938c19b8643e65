/**
 * The shape of each operation on the wire, and the rule that keeps clients of other versions right:
 * a shape changes only together with the newest version of the API.
 */

import { OPERATION_CODE } from "../src/operations/ledger/operation-code.ts";
import { LEDGER_OPERATIONS, type OperationName } from "../src/operations/ledger/operation-table.ts";
import { jsonSchemaOf } from "../src/owner/api/openapi.ts";

export interface WireShape {
  readonly operation: string;
  readonly kind: string;
  readonly input: unknown;
  readonly output: unknown;
}

export interface WireFixture extends WireShape {
  /** The version of the API that this shape came with. */
  readonly api: number;
}

/** `task.add.json` → the operation's shape, without what only people read. */
export function wireShapes(): ReadonlyMap<string, WireShape> {
  return new Map(
    Object.values(LEDGER_OPERATIONS).map(({ name, kind }) => {
      const { input, output } = OPERATION_CODE[name as OperationName];
      const shape = {
        operation: name,
        kind,
        input: withoutWords(jsonSchemaOf(input, "input")),
        output: withoutWords(jsonSchemaOf(output, "output")),
      };
      return [`${name.replaceAll(" ", ".")}.json`, shape];
    }),
  );
}

/** What is to be on record; throws where the shape changed and the number did not. */
export function nextFixture(before: WireFixture | null, shape: WireShape, newest: number): WireFixture {
  if (before !== null) {
    const { api, ...known } = before;
    if (JSON.stringify(known) === JSON.stringify(shape)) return before;
    if (api >= newest) {
      throw new Error(
        `${shape.operation} has another shape than version ${api} of the API promises: raise the newest ` +
          "version in src/kernel/api-version.ts, and the oldest too where old clients cannot live with it.",
      );
    }
  }
  return { api: newest, ...shape };
}

function withoutWords(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutWords);
  if (schema === null || typeof schema !== "object") return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => key !== "description" || typeof value !== "string")
      .map(([key, value]) => [key, withoutWords(value)]),
  );
}
