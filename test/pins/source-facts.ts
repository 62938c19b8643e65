/** What the rules of the house ask about a source file; read from its syntax tree, since words lie. */
import { join } from "node:path";
import ts from "typescript";

/** The text of the comment that a file begins with, or nothing. */
export function headerOf(text: string): string {
  const [first] = ts.getLeadingCommentRanges(text, 0) ?? [];
  return first === undefined
    ? ""
    : text.slice(first.pos, first.end).replace(/^[/*\s]+|[*/\s]+$|^\s*\*/gm, " ");
}

/**
 * `file:line name (lines)` of each function that has more than `most` lines of its own. Functions
 * in it count for themselves: what a factory returns is not the factory.
 */
export function longFunctions(file: ts.SourceFile, most: number): string[] {
  const found: string[] = [];
  visit(file, (node) => {
    if (!isFunctionWithBody(node)) return;
    const lines = ownLines(file, node);
    if (lines > most)
      found.push(`${at(file, node)} ${node.name?.getText(file) ?? "function"} (${lines} lines)`);
  });
  return found;
}

function ownLines(file: ts.SourceFile, whole: ts.Node): number {
  let lines = lineOf(file, whole.getEnd()) - lineOf(file, whole.getStart(file)) + 1;
  const subtractInner = (node: ts.Node): void => {
    if (isFunctionWithBody(node)) lines -= lineOf(file, node.getEnd()) - lineOf(file, node.getStart(file));
    else node.forEachChild(subtractInner);
  };
  whole.forEachChild(subtractInner);
  return lines;
}

function isFunctionWithBody(node: ts.Node): node is ts.FunctionLikeDeclaration {
  return ts.isFunctionLike(node) && "body" in node && node.body !== undefined;
}

const BANNED_CALLS = ["setTimeout", "setInterval", "setImmediate"];
const BANNED_MEMBERS: Readonly<Record<string, readonly string[] | "all">> = {
  console: "all",
  process: ["env", "exit", "exitCode", "cwd", "argv", "stdout", "stderr", "stdin", "pid", "hrtime"],
  Date: ["now"],
  Math: ["random"],
  performance: ["now"],
  crypto: ["randomUUID", "getRandomValues"],
};
const BANNED_IMPORTS = /^(node:)?(process|timers(\/promises)?|console|readline)$/;

/** Each use of what only a main may use: the clock, timers, randomness, the console, the process. */
export function ambientUses(file: ts.SourceFile): string[] {
  const found: string[] = [];
  const report = (node: ts.Node) => found.push(`${at(file, node)} ${node.getText(file).split("\n")[0]}`);
  visit(file, (node) => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      if (
        BANNED_IMPORTS.test(node.moduleSpecifier.text) &&
        node.importClause?.phaseModifier !== ts.SyntaxKind.TypeKeyword
      )
        report(node);
    }
    if (ts.isNewExpression(node) && isGlobal(node.expression, "Date") && (node.arguments?.length ?? 0) === 0)
      report(node);
    if (ts.isCallExpression(node) && BANNED_CALLS.some((name) => isGlobal(node.expression, name)))
      report(node);
    if (ts.isPropertyAccessExpression(node)) {
      for (const [object, members] of Object.entries(BANNED_MEMBERS)) {
        if (isGlobal(node.expression, object) && (members === "all" || members.includes(node.name.text)))
          report(node);
      }
    }
  });
  return found;
}

/** An identifier of this name that no enclosing function takes as a parameter: a port may be called `process`. */
function isGlobal(expression: ts.Expression, name: string): boolean {
  if (!ts.isIdentifier(expression) || expression.text !== name) return false;
  for (let node: ts.Node = expression; node.parent !== undefined; node = node.parent) {
    if (ts.isFunctionLike(node) && node.parameters.some((parameter) => bindsName(parameter.name, name)))
      return false;
  }
  return true;
}

function bindsName(binding: ts.BindingName, name: string): boolean {
  if (ts.isIdentifier(binding)) return binding.text === name;
  return binding.elements.some((element) => ts.isBindingElement(element) && bindsName(element.name, name));
}

/** The functions that a module exports without documentation, and such methods of its interfaces. */
export function undocumentedFunctions(root: string, path: string): string[] {
  const config = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  const program = ts.createProgram([join(root, path)], options);
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(join(root, path))!)!;
  return checker.getExportsOfModule(module).flatMap((exported) => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    const methods = [...(symbol.members?.values() ?? [])].filter(
      ({ flags }) => flags & ts.SymbolFlags.Method,
    );
    const functions = symbol.flags & ts.SymbolFlags.Function ? [symbol, ...methods] : methods;
    return functions
      .filter((each) => each.getDocumentationComment(checker).length === 0)
      .map((each) => (each === symbol ? symbol.name : `${symbol.name}.${each.name}`));
  });
}

function visit(node: ts.Node, see: (node: ts.Node) => void): void {
  see(node);
  node.forEachChild((child) => visit(child, see));
}

function at(file: ts.SourceFile, node: ts.Node): string {
  return `${file.fileName}:${lineOf(file, node.getStart(file))}`;
}

function lineOf(file: ts.SourceFile, position: number): number {
  return file.getLineAndCharacterOfPosition(position).line + 1;
}
