import { describe, expect, it } from "vitest";
import { type CanonicalValue, canonicalBytes } from "../../src/kernel/canonical-json.ts";

const text = (value: CanonicalValue) => canonicalBytes(value).toString("utf8");

describe("canonical JSON", () => {
  it("sorts keys at every depth, writes no white space, and ends in a newline", () => {
    expect(text({ b: [1, { d: null, c: true }], a: "x" })).toBe('{"a":"x","b":[1,{"c":true,"d":null}]}\n');
  });

  it("sorts keys by UTF-16 unit, as RFC 8785 says, so an emoji stands before a ligature", () => {
    expect(
      text({ "\ufb33": 1, "\u{1f600}": 2, "\u20ac": 3, "\r": 4, "1": 5, "\u0080": 6, "\u00f6": 7 }),
    ).toBe('{"\\r":4,"1":5,"\u0080":6,"\u00f6":7,"\u20ac":3,"\u{1f600}":2,"\ufb33":1}\n');
  });

  it("escapes only what RFC 8785 escapes", () => {
    expect(text("\u20ac$\u000f\nA'B\"\\\b\t/\u007f")).toBe('"\u20ac$\\u000f\\nA\'B\\"\\\\\\b\\t/\u007f"\n');
  });

  it("leaves out keys whose value is undefined, and only those", () => {
    expect(text({ a: undefined, b: null, c: "", d: 0, e: false })).toBe(
      '{"b":null,"c":"","d":0,"e":false}\n',
    );
  });

  it("writes minus zero as zero, and keeps arrays in their order", () => {
    expect(text([-0, 3, 2, 1])).toBe("[0,3,2,1]\n");
  });

  it.each([1.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY])(
    "refuses %d, which has more than one form",
    (value) => {
      expect(() => canonicalBytes(value)).toThrow("invariant failed");
    },
  );

  it("is not led astray by a key that is called __proto__", () => {
    expect(text(JSON.parse('{"__proto__":1,"a":2}'))).toBe('{"__proto__":1,"a":2}\n');
  });
});
