/**
 * SQL cut into tokens, as far as a schema's text needs it: to compare two declarations whatever
 * their spaces and comments are, and to see what a migration's statements do.
 */

// Comment | string | quoted name | word or number | any other sign.
const TOKEN = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|[\w$.]+|\S/g;

/** Words in lower case, strings as they are, without comments. */
export function sqlTokens(sql: string): string[] {
  return [...sql.matchAll(TOKEN)]
    .map(([token]) => token)
    .filter((token) => !token.startsWith("--") && !token.startsWith("/*"))
    .map((token) => (token.startsWith("'") ? token : token.toLowerCase()));
}

/** Each statement's tokens, without the `;` that ends it. */
export function sqlStatements(sql: string): string[][] {
  const statements: string[][] = [];
  let current: string[] = [];
  for (const token of sqlTokens(sql)) {
    if (token !== ";" || isOpenTrigger(current)) current.push(token);
    else {
      if (current.length > 0) statements.push(current);
      current = [];
    }
  }
  if (current.length > 0) statements.push(current);
  return statements;
}

/** A trigger's body has statements of its own, each with its `;`, up to END. */
function isOpenTrigger(tokens: readonly string[]): boolean {
  return tokens[0] === "create" && tokens[1] === "trigger" && tokens.at(-1) !== "end";
}

/** The parts of a list in parentheses, at its own level: the columns and constraints of a table. */
export function splitList(tokens: readonly string[]): string[][] {
  const parts: string[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (token === "(") depth += 1;
    if (token === ")") depth -= 1;
    if (token === "," && depth === 0) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}
