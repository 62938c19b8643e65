/**
 * The documents' blocks that are marked `<!-- runnable -->` do run: in order, in one shell
 * a document, in a new folder and a new home, by the built command. A block that fails fails here.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const ROOT = new URL("../..", import.meta.url).pathname;

const read = (document: string) => readFileSync(join(ROOT, document), "utf8");

/** As lines of shell; a block of JavaScript becomes a program beside an installed swarm-gen. */
function runnableBlocks(document: string): string[] {
  const blocks = [...read(document).matchAll(/<!-- runnable -->\n+```(sh|js)\n(.*?)```/gs)];
  return blocks.map(([, language, block = ""]) =>
    language === "sh"
      ? block
      : `cat > program.mjs <<'END_OF_PROGRAM'\n${block}END_OF_PROGRAM\nnode program.mjs\n`,
  );
}

test.for([
  ["README.md", 9],
  ["docs/formats.md", 1],
] as const)("what %s says to type works (%i blocks or more)", ([document, atLeast]) => {
  const blocks = runnableBlocks(document);
  expect(blocks.length).toBeGreaterThanOrEqual(atLeast);
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "swarm-gen-docs-")));
  const env = {
    HOME: folder,
    SWARM_GEN_HOME: join(folder, "home"),
    PATH: `${join(ROOT, "bin")}:${dirname(process.execPath)}:${process.env.PATH}`,
  };
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(ROOT, join(folder, "node_modules/swarm-gen"));
  try {
    const { status, stdout, stderr } = spawnSync("/bin/sh", ["-eux", "-c", blocks.join("\n")], {
      cwd: folder,
      env,
      encoding: "utf8",
    });
    // The shell's trace names the command that failed.
    expect(status, `${stdout}\n${stderr}`).toBe(0);
  } finally {
    // Blocks that failed may have left an owner; what is published is read-only, folders included.
    spawnSync("swarm-gen", ["owner", "stop"], { cwd: folder, env });
    spawnSync("/bin/sh", ["-c", 'chmod -R u+w "$0" && rm -rf "$0"', folder]);
  }
});

test("every command that a document's shell blocks show exists", () => {
  const known = [...read("docs/cli.md").matchAll(/^## (.+)$/gm)].map(([, name]) => name);
  const shown = ["README.md", "ARCHITECTURE.md", "docs/formats.md"].flatMap((document) =>
    [...read(document).matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = ""]) =>
      [...block.matchAll(/(?:^|[(/" ])swarm-gen ([a-z]+)(?: ([a-z]+))?/gm)].map(([, word, next]) =>
        known.includes(`${word} ${next}`) ? `${word} ${next}` : word,
      ),
    ),
  );
  expect(new Set(shown).size).toBeGreaterThan(10);
  expect(shown.filter((name) => !known.includes(name))).toEqual([]);
});

test("every file that a document links to exists", () => {
  const documents = [
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "docs/formats.md",
    "docs/cli.md",
    "docs/errors.md",
  ];
  const missing = documents.flatMap((document) =>
    [...read(document).matchAll(/\]\((?!https?:|#)([^)#]+)/g)]
      .map(([, target = ""]) => join(dirname(document), target))
      .filter((target) => !existsSync(join(ROOT, target)))
      .map((target) => `${document} → ${target}`),
  );
  expect(missing).toEqual([]);
});
