/** Actors as every surface shows them, each with its newest enrollment and the sessions it was seen in. */
import { CodedError } from "../../kernel/errors.ts";
import type { Reading } from "../commit/statements.ts";
import type { Caller, Consumer } from "../commit/transaction.ts";

export interface Actor {
  readonly actor: string;
  readonly kind: "owner" | "operator" | "lead" | "worker";
  readonly label: string;
  readonly revision: number;
  readonly consumer: Consumer;
  readonly state: "active" | "superseded" | "revoked";
  /** ISO 8601, UTC, as every instant. */
  readonly enrolledAt: string;
  readonly endedAt: string | null;
  /** The harness's own session ids, the newest first. */
  readonly sessions: readonly { readonly session: string; readonly firstSeenAt: string }[];
}

export interface ListActorsInput {
  readonly kind?: Actor["kind"] | undefined;
  /** Those whose enrollment ended too. */
  readonly all: boolean;
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface ActorPage {
  readonly actors: readonly Actor[];
  readonly next: string | null;
}

interface ActorRow {
  readonly actor: string;
  readonly kind: Actor["kind"];
  readonly label: string;
  readonly revision: number;
  readonly consumer: Consumer;
  readonly state: Actor["state"];
  readonly created_at: number;
  readonly ended_at: number | null;
}

const ONE = `
  SELECT actor.id AS actor, kind, label, revision, consumer, state, enrollment.created_at, ended_at
    FROM actor JOIN enrollment ON enrollment.actor = actor.id
   WHERE actor.id = @actor ORDER BY revision DESC LIMIT 1`;

const PAGE = `
  SELECT actor.id AS actor, kind, label, revision, consumer, state, enrollment.created_at, ended_at
    FROM actor JOIN enrollment ON enrollment.actor = actor.id
     AND revision = (SELECT max(revision) FROM enrollment AS newest WHERE newest.actor = actor.id)
   WHERE actor.id > @after AND (@kind IS NULL OR kind = @kind) AND (@all = 1 OR state = 'active')
   ORDER BY actor.id LIMIT @limit`;

const MOST_SESSIONS = 20;

/** `not_found`. */
export function readActor(reading: Reading, actor: string): Actor {
  const row = reading.get<ActorRow>(ONE, { actor });
  if (row !== undefined) return actorOf(reading, row);
  throw new CodedError("not_found", `There is no actor ${actor}.`, {
    hint: "swarm-gen actor ls lists the actors.",
    fields: { actor, changed: false },
  });
}

export function listActors(
  reading: Reading,
  _caller: Caller,
  { kind, all, after, limit }: ListActorsInput,
): ActorPage {
  const rows = reading.all<ActorRow>(PAGE, {
    kind: kind ?? null,
    all: all ? 1 : 0,
    after: after ?? "",
    limit: limit + 1,
  });
  const page = rows.slice(0, limit);
  return {
    actors: page.map((row) => actorOf(reading, row)),
    next: rows.length > limit ? (page.at(-1)?.actor ?? null) : null,
  };
}

function actorOf(reading: Reading, row: ActorRow): Actor {
  const { actor, kind, label, revision, consumer, state } = row;
  const sessions = reading.all<{ session: string; firstSeenAt: number }>(
    `SELECT session, first_seen_at AS firstSeenAt FROM native_session
      WHERE actor = @actor AND revision = @revision ORDER BY first_seen_at DESC, session LIMIT @most`,
    { actor, revision, most: MOST_SESSIONS },
  );
  return {
    actor,
    kind,
    label,
    revision,
    consumer,
    state,
    enrolledAt: new Date(row.created_at).toISOString(),
    endedAt: row.ended_at === null ? null : new Date(row.ended_at).toISOString(),
    sessions: sessions.map(({ session, firstSeenAt }) => ({
      session,
      firstSeenAt: new Date(firstSeenAt).toISOString(),
    })),
  };
}
