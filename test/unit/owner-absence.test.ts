/** What the owner notices of time that it did not serve. */
import { expect, it } from "vitest";
import { createAbsenceWatch } from "../../src/owner/presence/absence-watch.ts";

const SECOND = 1000;

/** Clocks that a test moves: the machine runs, sleeps, or has its clock set. */
function machine({ countsSuspends = true } = {}) {
  const at = { wall: Date.UTC(2026, 0, 1), monotonic: 5 * SECOND, slept: 0 };
  return {
    clocks: {
      wall: () => at.wall,
      monotonic: () => at.monotonic,
      withSuspends: () => (countsSuspends ? at.monotonic + at.slept : null),
    },
    runs(ms: number) {
      at.wall += ms;
      at.monotonic += ms;
    },
    sleeps(ms: number) {
      at.wall += ms;
      at.slept += ms;
    },
    isSet(ms: number) {
      at.wall += ms;
    },
  };
}

it("looks each second and finds nothing, for a day", () => {
  const { clocks, runs } = machine();
  const watch = createAbsenceWatch(clocks);
  for (let second = 0; second < 86_400; second += 1) {
    runs(SECOND);
    if (watch.look() !== null) expect.unreachable();
  }
  expect(watch.look()).toBeNull();
});

it("a sleep, a clock that is set either way, and a stop of its own are told apart", () => {
  const found = (act: (of: ReturnType<typeof machine>) => void, countsSuspends = true) => {
    const of = machine({ countsSuspends });
    const watch = createAbsenceWatch(of.clocks);
    of.runs(SECOND);
    expect(watch.look()).toBeNull();
    act(of);
    return watch.look();
  };
  expect(found(({ sleeps }) => sleeps(3600 * SECOND))).toBe("host_suspended");
  expect(found(({ isSet }) => isSet(3600 * SECOND))).toBe("clock_jump");
  expect(found(({ isSet }) => isSet(-3600 * SECOND))).toBe("clock_jump");
  expect(found(({ runs }) => runs(30 * SECOND))).toBe("owner_stalled");
  expect(found(({ sleeps }) => sleeps(3600 * SECOND), false)).toBe("host_suspended");
  expect(found(({ isSet }) => isSet(-3600 * SECOND), false)).toBe("clock_jump");
  expect(found(({ isSet }) => isSet(SECOND))).toBeNull();
});

it("is told until it is made good, and then no more", () => {
  const { clocks, runs, sleeps } = machine();
  const watch = createAbsenceWatch(clocks);
  sleeps(60 * SECOND);
  expect([watch.look(), watch.look()]).toEqual(["host_suspended", "host_suspended"]);
  runs(SECOND);
  expect(watch.look()).toBe("host_suspended");
  watch.acknowledge();
  runs(SECOND);
  expect(watch.look()).toBeNull();
});

it("a second sleep while the first is made good is told as well", () => {
  const { clocks, sleeps } = machine();
  const watch = createAbsenceWatch(clocks);
  sleeps(60 * SECOND);
  expect(watch.look()).toBe("host_suspended");
  sleeps(3600 * SECOND);
  watch.acknowledge();
  expect(watch.look()).toBe("host_suspended");
  watch.acknowledge();
  expect(watch.look()).toBeNull();
});
