import { describe, expect, it } from "vitest";
import { CodedError } from "../../src/kernel/errors.ts";
import { COMMAND_GROUPS, COMMANDS } from "../../src/surface/cli/command-table.ts";
import {
  asksForJson,
  canonicalArguments,
  parseCommandLine,
} from "../../src/surface/cli/parse-command-line.ts";

async function called(...argv: string[]) {
  const line = await parseCommandLine(argv, () => "1.2.3");
  if (line.kind !== "call") throw new Error(`not a call: ${line.text}`);
  return { name: line.command.name, flags: { ...line.flags }, args: line.args };
}

async function refused(...argv: string[]): Promise<CodedError> {
  try {
    await parseCommandLine(argv, () => "1.2.3");
  } catch (error) {
    if (error instanceof CodedError) return error;
    throw error;
  }
  throw new Error(`accepted: ${argv.join(" ")}`);
}

async function printed(...argv: string[]): Promise<string> {
  const line = await parseCommandLine(argv, () => "1.2.3");
  if (line.kind !== "text") throw new Error(`a call of ${line.command.name}`);
  return line.text;
}

describe("what the words of a command line mean", () => {
  it("flags may stand before and after arguments, in either spelling of a value", async () => {
    expect(await called("stage", "--name", "a", "src", "--bare")).toEqual({
      name: "stage",
      flags: { name: "a", bare: true },
      args: ["src"],
    });
    expect(await called("stage", "--name=a", "--accept-own-paths")).toEqual({
      name: "stage",
      flags: { name: "a", acceptOwnPaths: true },
      args: [],
    });
  });

  it("store gc turns durations into milliseconds and counts into numbers", async () => {
    expect(await called("store", "gc", "--older-than", "12h", "--keep-last", "0", "--dry-run")).toEqual({
      name: "store gc",
      flags: { olderThan: 43_200_000, keepLast: 0, dryRun: true },
      args: [],
    });
  });

  it("all that follows the entry point of run is the program's", async () => {
    const expected = { name: "run", flags: {}, args: ["@current", "cli", "ls", "--json", "--", "--help"] };
    expect(await called("run", "@current", "cli", "ls", "--json", "--", "--help")).toEqual(expected);
    expect(await called("run", "@current", "--", "cli", "ls", "--json", "--", "--help")).toEqual(expected);
    expect(await called("run", "--profile", "p", "@1", "mcp", "-h")).toEqual({
      name: "run",
      flags: { profile: "p" },
      args: ["@1", "mcp", "-h"],
    });
  });

  it("--json of a program that run starts does not make swarm-gen's errors JSON", () => {
    expect(asksForJson(["run", "@current", "cli", "--json"])).toBe(false);
    expect(asksForJson(["run", "--json", "@current", "cli"])).toBe(true);
    expect(asksForJson(["ls", "--json"])).toBe(true);
    expect(asksForJson(["nonsense", "--json"])).toBe(true);
    expect(asksForJson(["show", "--", "--json"])).toBe(false);
  });

  it("help stage is stage --help", () => {
    expect(canonicalArguments(["help", "store", "gc"])).toEqual(["store", "gc", "--help"]);
  });
});

describe("usage errors", () => {
  it.each([
    [["stagr"], /stage/],
    [["store", "gcc"], /gc/],
    [["ls", "--jsn"], /--json/],
    [["show"], /ID/],
    [["run", "@current"], /ENTRY|argument/i],
    [["diff", "a"], /B/],
    [["ls", "extra"], /extra/],
    [["pin", "a"], /--reason/],
    [["export", "a"], /--to/],
    [["store", "gc", "--older-than", "5 days"], /30m, 12h, 7d, 0s/],
    [["store", "gc", "--keep-last", "-1"], /.+/],
    [["ls", "--profile", "../x"], /profile/],
    [["import", "f", "--expect", "abc"], /64/],
  ])("%j is invalid_input with exit 2 and names what is wrong", async (argv, named) => {
    const error = await refused(...argv);
    expect(error.code).toBe("invalid_input");
    expect(error.exitCode).toBe(2);
    expect(error.message).toMatch(named);
    expect(error.hint).toMatch(/^swarm-gen .*--help/);
  });
});

describe("help", () => {
  it("the root's shows every command once, by itself or behind its noun, and fits a screen", async () => {
    const help = await printed("--help");
    const shown = COMMAND_GROUPS.flatMap(({ lines }) => lines).flatMap((line) => {
      if ("name" in line) return [line.name];
      if ("names" in line) return line.names;
      return COMMANDS.map(({ name }) => name).filter((name) => name.startsWith(`${line.noun} `));
    });
    expect(shown.sort()).toEqual(COMMANDS.map(({ name }) => name).sort());
    expect(help).toMatch(/^ {2}store +.*: gc, info$/m);
    expect(help).toMatch(/^ {2}stage +make a generation of a runtime$/m);
    expect(help.split("\n").length).toBeLessThanOrEqual(54);
    expect(Math.max(...help.split("\n").map((line) => line.length))).toBeLessThanOrEqual(110);
    expect(await printed()).toBe(help);
  });

  it.each(COMMANDS.map((command) => [command.name, command] as const))(
    "%s --help has its flags and its examples",
    async (name, command) => {
      const help = await printed(...name.split(" "), "--help");
      expect(command.examples.length).toBeGreaterThanOrEqual(1);
      for (const { line } of command.examples) expect(help).toContain(line);
      for (const flag of ["--json", "--profile NAME", "--help"]) expect(help).toContain(flag);
      expect(Math.max(...help.split("\n").map((line) => line.length))).toBeLessThanOrEqual(110);
    },
  );

  it("--version prints the version alone", async () => {
    expect(await printed("--version")).toBe("1.2.3\n");
  });
});
