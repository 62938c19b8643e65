/** Who may act: enrolled by digest, superseded and revoked for ever, listed with its sessions. */
import { describe, expect, test } from "vitest";
import { authenticate } from "../../src/coordinator/actors/authenticate.ts";
import { codeOf, refusalOf } from "../fixtures/coded-error.ts";
import { bound } from "../fixtures/ledger-launch.ts";
import { createLedgerWorld } from "../fixtures/ledger-world.ts";

const DIGEST = "a".repeat(64);
const WORKER = { kind: "worker", label: "nightly", capabilityDigest: DIGEST } as const;

describe("an enrollment", () => {
  test("makes an actor, whom its digest proves", () => {
    const world = createLedgerWorld();
    const enrolled = world.call("enroll", world.operator, WORKER);
    expect(enrolled).toEqual({
      actor: expect.stringMatching(/^w-[0-9a-f]{12}$/),
      kind: "worker",
      label: "nightly",
      revision: 1,
      consumer: "script",
    });
    expect(authenticate(world.statements, DIGEST)).toEqual({
      actor: enrolled.actor,
      kind: "worker",
      revision: 1,
      consumer: "script",
    });
    expect(authenticate(world.statements, "c".repeat(64))).toBeNull();
  });

  test("asked for again with the same digest is the same, under another command id too", () => {
    const world = createLedgerWorld();
    const enrolled = world.call("enroll", world.operator, WORKER);
    expect(world.call("enroll", world.operator, WORKER)).toEqual(enrolled);
    expect(world.call("actor ls", world.operator, { kind: "worker" }).actors).toHaveLength(1);
  });

  test("with the digest of another is refused with its name, and by no constraint of the database", () => {
    const world = createLedgerWorld();
    const { actor } = world.call("enroll", world.operator, WORKER);
    const refused = { code: "wrong_state", fields: { actor, revision: 1, state: "active", changed: false } };
    for (const other of [
      { ...WORKER, label: "another" },
      { ...WORKER, kind: "lead" as const },
      { ...WORKER, consumer: "hook" as const },
    ]) {
      expect(refusalOf(() => world.call("enroll", world.operator, other))).toMatchObject(refused);
    }
    expect(world.call("actor ls", world.operator, {}).actors).toHaveLength(3);
  });

  test("of an actor again supersedes the one before, whose digest never serves again", () => {
    const world = createLedgerWorld();
    const { actor } = world.call("enroll", world.operator, WORKER);
    const again = { ...WORKER, actor, capabilityDigest: "b".repeat(64) };
    expect(world.call("enroll", world.operator, again)).toMatchObject({ actor, revision: 2 });
    expect(refusalOf(() => authenticate(world.statements, DIGEST))).toMatchObject({
      code: "enrollment_revoked",
      fields: { actor, revision: 1, state: "superseded" },
    });
    expect(codeOf(() => world.call("enroll", world.operator, { ...WORKER, actor }))).toBe("wrong_state");
    expect(codeOf(() => world.call("enroll", world.operator, WORKER))).toBe("wrong_state");
  });

  test("of an actor that is not there, or is of another kind, is refused", () => {
    const world = createLedgerWorld();
    const lead = world.enroll("lead");
    const enroll = (actor: string) => () => world.call("enroll", world.operator, { ...WORKER, actor });
    expect(codeOf(enroll("w-000000000000"))).toBe("not_found");
    expect(codeOf(enroll(lead.actor))).toBe("wrong_state");
    expect(codeOf(enroll("operator"))).toBe("wrong_state");
    expect(codeOf(enroll("x y"))).toBe("invalid_input");
  });
});

describe("a revocation", () => {
  test("is for ever for that capability, and a repeat of it changes nothing", () => {
    const world = createLedgerWorld();
    const { actor } = world.call("enroll", world.operator, WORKER);
    world.clock.advance(1_000);
    const revoked = world.call("revoke", world.operator, { actor, reason: "lost laptop" });
    expect(revoked).toMatchObject({ state: "revoked", revision: 1, endedAt: "2026-01-01T00:00:01.000Z" });
    world.clock.advance(1_000);
    expect(world.call("revoke", world.operator, { actor })).toEqual(revoked);
    expect(codeOf(() => authenticate(world.statements, DIGEST))).toBe("enrollment_revoked");
    expect(world.call("actor ls", world.operator, { kind: "worker" }).actors).toEqual([]);
    expect(world.call("actor ls", world.operator, { kind: "worker", all: true }).actors).toEqual([revoked]);
    expect(world.events().filter(({ type }) => type === "actor.revoked")).toHaveLength(1);
  });

  test("of the scope's own actors is refused", () => {
    const world = createLedgerWorld();
    for (const actor of ["operator", "owner"]) {
      expect(codeOf(() => world.call("revoke", world.operator, { actor }))).toBe("wrong_state");
    }
    expect(codeOf(() => world.call("revoke", world.operator, { actor: "w-000000000000" }))).toBe("not_found");
  });
});

describe("the list of actors", () => {
  test("shows each once with its newest revision, page by page", () => {
    const world = createLedgerWorld();
    const workers = Array.from({ length: 5 }, () => world.enroll("worker").actor).toSorted();
    const [again = ""] = workers;
    world.call("enroll", world.operator, { ...WORKER, actor: again });
    const seen: string[] = [];
    for (let after: string | undefined; ; ) {
      const page = world.call("actor ls", world.operator, { kind: "worker", limit: 2, after });
      seen.push(...page.actors.map(({ actor, revision }) => `${actor} ${revision}`));
      if (page.next === null) break;
      after = page.next;
    }
    expect(seen).toEqual(workers.map((actor, index) => `${actor} ${index === 0 ? 2 : 1}`));
  });

  test("tells the sessions that a worker proved itself in", () => {
    const world = createLedgerWorld();
    const { worker } = bound(world);
    const { actors } = world.call("actor ls", world.operator, { kind: "worker" });
    expect(actors).toMatchObject([
      {
        actor: worker.actor,
        consumer: "channel",
        sessions: [{ session: "session-1", firstSeenAt: "2026-01-01T00:00:00.000Z" }],
      },
    ]);
  });
});
