/**
 * provisionLaunch: the worker of a reserved launch exists, with an enrollment of its own. Only the
 * digest of its capability comes here.
 *
 *   out   the launch with actor and revision; a repeat with the same digest is the same worker
 *   throws `wrong_state` for a launch that is not reserved, and for a digest that another enrollment
 *          has or had; `idempotency_conflict` for another digest than the first time
 */
import { CodedError, invariant } from "../../kernel/errors.ts";
import { addActor, enrollActor } from "../actors/enroll.ts";
import type { Transaction } from "../commit/transaction.ts";
import { moveLaunch } from "./move-launch.ts";
import { type Launch, readLaunch } from "./read-launches.ts";

export interface ProvisionLaunchInput {
  readonly launch: string;
  /** The worker's label: the task's title, cleaned. */
  readonly label: string;
  /** SHA-256 of the secret, hex. */
  readonly capabilityDigest: string;
  readonly termMs?: number | undefined;
}

export function provisionLaunch(tx: Transaction, _caller: unknown, input: ProvisionLaunchInput): Launch {
  const { launch, label, capabilityDigest, termMs } = input;
  const found = readLaunch(tx, launch);
  if (found.state === "provisioned") return sameWorker(tx, found, capabilityDigest);
  if (found.state !== "reserved") {
    throw new CodedError("wrong_state", `Launch ${launch} is ${found.state}, not reserved.`, {
      fields: { launch, task: found.task, state: found.state, changed: false },
    });
  }
  const worker = { actor: `w-${tx.ids.hex(6)}`, kind: "worker", label } as const;
  addActor(tx, worker);
  const { actor, revision } = enrollActor(tx, { ...worker, consumer: "channel", capabilityDigest });
  tx.run("UPDATE launch SET actor = @actor, revision = @revision WHERE id = @launch", {
    launch,
    actor,
    revision,
  });
  const moved = moveLaunch(tx, {
    launch,
    from: "reserved",
    to: "provisioned",
    source: "launcher",
    reason: null,
    termMs,
    detail: { actor, revision },
  });
  invariant(moved, "a launch that was just read as reserved is provisioned");
  return readLaunch(tx, launch);
}

function sameWorker(tx: Transaction, launch: Launch, capabilityDigest: string): Launch {
  const { actor, revision } = launch;
  const same = tx.get(
    `SELECT 1 FROM enrollment
      WHERE actor = @actor AND revision = @revision AND capability_digest = @capabilityDigest`,
    { actor, revision, capabilityDigest },
  );
  if (same !== undefined) return launch;
  throw new CodedError(
    "idempotency_conflict",
    `Launch ${launch.launch} is provisioned with another capability.`,
    {
      fields: { launch: launch.launch, task: launch.task, changed: false },
    },
  );
}
