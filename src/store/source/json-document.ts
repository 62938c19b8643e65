/**
 * A JSON text with positions: what lets a problem name its line.
 *
 * Strict JSON only: no comments, no trailing commas, and no key twice (parsers differ in which of
 * the two they take).
 */
import {
  findNodeAtLocation,
  getLocation,
  type JSONPath,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";

export interface JsonProblem {
  /** `entrypoints.hooks.PreToolUse`, `include[0]`; empty for the whole. */
  readonly at: string;
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface JsonDocument {
  readonly value: unknown;
  /** `message` with the place of `path`, or of its nearest ancestor that exists. */
  problem(path: JSONPath, message: string, place?: "value" | "key"): JsonProblem;
}

export type ParsedJson =
  | { readonly kind: "document"; readonly document: JsonDocument }
  | { readonly kind: "problems"; readonly problems: readonly JsonProblem[] };

export function parseJsonDocument(text: string): ParsedJson {
  if (text.trim() === "") return { kind: "problems", problems: [problemAt(text, 0, [], "is empty")] };
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  const problems = firstAtEachPlace(errors).map(({ error, offset }) => {
    const path = getLocation(text, offset).path.filter((part) => part !== "");
    const name = printParseErrorCode(error);
    return problemAt(text, offset, path, WORDS[name] ?? name);
  });
  if (root === undefined) return { kind: "problems", problems };
  problems.push(...repeatedKeys(text, root, []));
  if (problems.length > 0) return { kind: "problems", problems };
  const problem: JsonDocument["problem"] = (path, message, place = "value") =>
    problemAt(text, offsetOf(root, path, place), path, message);
  return { kind: "document", document: { value: JSON.parse(text) as unknown, problem } };
}

/** `["a", 0, "b-c"]` as people write it: `a[0]["b-c"]`. */
export function shownPath(path: JSONPath): string {
  return path
    .map((part, index) => {
      if (typeof part === "number") return `[${part}]`;
      if (!/^[\w$]+$/.test(part)) return `[${JSON.stringify(part)}]`;
      return index === 0 ? part : `.${part}`;
    })
    .join("");
}

const WORDS: Readonly<Record<string, string>> = {
  CommaExpected: "a comma is missing before this",
  ColonExpected: "a colon is missing before this",
  ValueExpected: "a value is missing here",
  PropertyNameExpected: "a property name in quotes is missing here",
  CloseBraceExpected: "a closing } is missing",
  CloseBracketExpected: "a closing ] is missing",
  EndOfFileExpected: "nothing may follow the end",
  InvalidSymbol: "this is not JSON",
  InvalidCommentToken: "JSON has no comments",
  UnexpectedEndOfString: "a closing quote is missing",
};

/** What follows a mistake at the same place is only its echo. */
function firstAtEachPlace(errors: readonly ParseError[]): ParseError[] {
  return errors.filter(({ offset }, index) => errors.findIndex((other) => other.offset === offset) === index);
}

function repeatedKeys(text: string, node: Node, path: JSONPath): JsonProblem[] {
  const keys = new Set<unknown>();
  return (node.children ?? []).flatMap((child, index) => {
    if (node.type !== "object") return repeatedKeys(text, child, [...path, index]);
    const [key, value] = child.children ?? [];
    if (key === undefined) return [];
    const inside = [...path, String(key.value)];
    const twice = keys.has(key.value) ? [problemAt(text, key.offset, inside, "stands twice")] : [];
    keys.add(key.value);
    return [...twice, ...(value === undefined ? [] : repeatedKeys(text, value, inside))];
  });
}

function offsetOf(root: Node, path: JSONPath, place: "value" | "key"): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = findNodeAtLocation(root, path.slice(0, length));
    if (node === undefined) continue;
    const property = node.parent?.type === "property" ? node.parent : null;
    return (place === "key" && length === path.length ? property : null)?.offset ?? node.offset;
  }
  return root.offset;
}

function problemAt(text: string, offset: number, path: JSONPath, message: string): JsonProblem {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return {
    at: shownPath(path),
    line: before.split("\n").length,
    column: offset - lineStart + 1,
    message,
  };
}
