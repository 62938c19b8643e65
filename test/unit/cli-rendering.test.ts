import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cleanJson, cleanLines, cleanText } from "../../src/surface/cli/render/clean-text.ts";
import { createProgressLine, progressText } from "../../src/surface/cli/render/progress-line.ts";
import { durationText, sizeText } from "../../src/surface/cli/render/quantities.ts";
import { createStyle, wantsColour } from "../../src/surface/cli/render/style.ts";
import { sumLine } from "../../src/surface/cli/render/sum-line.ts";
import { table } from "../../src/surface/cli/render/table.ts";

const plain = createStyle(false);

describe("text from outside", () => {
  it.each([
    ["\u001b[2Jgone", "\\x1b[2Jgone"],
    ["\u001b]52;c;QQ==\u0007", "\\x1b]52;c;QQ==\\x07"],
    ["\u009b31m", "\\x9b31m"],
    ["abc\u202egpj.exe", "abc\\u202egpj.exe"],
    ["a\u200bb\ufeff", "a\\u200bb\\ufeff"],
    ["tag\u{e0041}", "tag\\u{e0041}"],
    ["lone\ud800", "lone\\ud800"],
    ["tab\tcr\r", "tab\\tcr\\r"],
    ["naïve 🎉 漢字", "naïve 🎉 漢字"],
  ])("%j is shown as %j", (text, shown) => {
    expect(cleanText(text)).toBe(shown);
  });

  it("a newline stays in a message and is escaped in a name", () => {
    expect(cleanLines("a\nb")).toBe("a\nb");
    expect(cleanText("a\nb")).toBe("a\\nb");
  });

  it("JSON keeps its value and loses what a terminal would obey", () => {
    const value = { name: "\u009b31m\u202e\u{e0041}\u2028\n\u001b" };
    const json = cleanJson(JSON.stringify(value));
    expect(JSON.parse(json)).toEqual(value);
    expect(json).toMatch(/^[ -~]*$/);
  });

  it("a hostile name neither breaks a table's columns nor reaches the terminal", () => {
    const text = table(
      [{ name: "x\n\u001b[1m" }, { name: "y" }],
      [
        { title: "NAME", value: (row) => row.name },
        { title: "N", align: "right", value: () => "1" },
      ],
      plain,
    );
    expect(text).toBe("NAME        N\nx\\n\\x1b[1m  1\ny           1");
  });
});

describe("quantities", () => {
  it.each([
    [0, "0 B"],
    [999, "999 B"],
    [1000, "1.0 kB"],
    [9_949, "9.9 kB"],
    [9_950, "10 kB"],
    [999_499, "999 kB"],
    [999_500, "1.0 MB"],
    [582_654_321, "583 MB"],
    [2 ** 53, "9.0 PB"],
  ])("%d bytes are %s", (bytes, text) => {
    expect(sizeText(bytes)).toBe(text);
  });

  it.each([
    [12, "12 ms"],
    [1_234, "1.2 s"],
    [59_949, "59.9 s"],
    [59_950, "1 min 0 s"],
    [125_000, "2 min 5 s"],
  ])("%d ms are %s", (milliseconds, text) => {
    expect(durationText(milliseconds)).toBe(text);
  });
});

describe("colour", () => {
  it("is for terminals without NO_COLOR only", () => {
    expect(wantsColour({}, true)).toBe(true);
    expect(wantsColour({}, false)).toBe(false);
    expect(wantsColour({ NO_COLOR: "1" }, true)).toBe(false);
    expect(wantsColour({ NO_COLOR: "" }, true)).toBe(true);
    expect(wantsColour({ TERM: "dumb" }, true)).toBe(false);
  });
});

describe("sums", () => {
  it("sha256sum -c accepts the lines, also for names that it escapes", () => {
    const folder = mkdtempSync(join(tmpdir(), "cli-sums-"));
    try {
      const names = [
        "plain",
        "with space",
        "back\\slash",
        "new\nline",
        "both\\n\n",
        "return\r",
        " lead",
        "*star",
      ];
      for (const name of names) writeFileSync(join(folder, name), "content");
      const sha256 = "ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73";
      writeFileSync(join(folder, "sums"), `${names.map((path) => sumLine({ path, sha256 })).join("\n")}\n`);
      const output = execFileSync("sha256sum", ["-c", "--strict", "sums"], { cwd: folder, encoding: "utf8" });
      expect(output.match(/: OK$/gm)).toHaveLength(names.length);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("the progress line", () => {
  const step = { step: "digest", filesDone: 1, filesTotal: 10, bytesDone: 1000, bytesTotal: 10_000 } as const;

  it("is drawn at most ten times a second, at once for a new step, and cleared at the end", () => {
    let now = 1000;
    const written: string[] = [];
    const line = createProgressLine({
      clock: { now: () => now },
      columns: 80,
      write: (text) => written.push(text),
    });
    line.clear();
    expect(written).toEqual([]);
    for (; now < 1300; now += 10) line.report(step);
    expect(written).toHaveLength(3);
    line.report({ ...step, step: "flush" });
    expect(written).toHaveLength(4);
    line.clear();
    expect(written.at(-1)).toBe("\r\u001b[K");
  });

  it("goes on when the clock is set back", () => {
    let now = 1_000_000;
    let draws = 0;
    const line = createProgressLine({ clock: { now: () => now }, columns: 80, write: () => (draws += 1) });
    line.report(step);
    now = 1000;
    line.report(step);
    expect(draws).toBe(2);
  });

  it("says how far it is and how fast", () => {
    expect(
      progressText(
        { ...step, filesDone: 1200, filesTotal: 34_074, bytesDone: 5_000_000, bytesTotal: 583_000_000 },
        1000,
      ),
    ).toBe("reading  1,200 of 34,074 files  5.0 MB of 583 MB  5.0 MB/s");
    expect(
      progressText({ step: "build", filesDone: 0, filesTotal: 0, bytesDone: 0, bytesTotal: 0 }, 9000),
    ).toBe("building dependencies");
  });

  it("never wraps", () => {
    const written: string[] = [];
    createProgressLine({ clock: { now: () => 0 }, columns: 30, write: (text) => written.push(text) }).report(
      step,
    );
    expect(written[0]?.replace("\r\u001b[K", "").length).toBe(29);
  });
});
