import { describe, expect, it } from "vitest";
import { CodedError } from "../../src/kernel/errors.ts";
import { homeFolders } from "../../src/operations/home.ts";

function refusal(env: Record<string, string>): string {
  try {
    homeFolders(env);
  } catch (error) {
    if (error instanceof CodedError) return `${error.code} ${error.exitCode}`;
    throw error;
  }
  return "none";
}

describe("where swarm-gen keeps its things", () => {
  it("SWARM_GEN_HOME moves everything, whatever else is set", () => {
    expect(homeFolders({ SWARM_GEN_HOME: "/x/y/", HOME: "/h", XDG_DATA_HOME: "/d" })).toEqual({
      home: "/x/y",
      store: "/x/y/store",
      cache: "/x/y/cache",
      state: "/x/y/state",
    });
    expect(homeFolders({ SWARM_GEN_HOME: "/x" })).toMatchObject({ store: "/x/store" });
  });

  it("else each XDG variable counts by itself, and a relative one not at all", () => {
    expect(homeFolders({ HOME: "/h" })).toEqual({
      home: null,
      store: "/h/.local/share/swarm-gen",
      cache: "/h/.cache/swarm-gen",
      state: "/h/.local/state/swarm-gen",
    });
    expect(homeFolders({ HOME: "/h", XDG_DATA_HOME: "/d", XDG_CACHE_HOME: "c" })).toEqual({
      home: null,
      store: "/d/swarm-gen",
      cache: "/h/.cache/swarm-gen",
      state: "/h/.local/state/swarm-gen",
    });
    expect(homeFolders({ XDG_DATA_HOME: "/d", XDG_CACHE_HOME: "/c", XDG_STATE_HOME: "/s" }).state).toBe(
      "/s/swarm-gen",
    );
  });

  it("a relative or missing home is refused, never resolved", () => {
    expect(refusal({ SWARM_GEN_HOME: "relative", HOME: "/h" })).toBe("invalid_input 2");
    expect(refusal({ HOME: "relative" })).toBe("invalid_input 2");
    expect(refusal({ HOME: "" })).toBe("invalid_input 2");
    expect(refusal({})).toBe("invalid_input 2");
    expect(refusal({ SWARM_GEN_HOME: "", HOME: "/h" })).toBe("none");
  });
});
