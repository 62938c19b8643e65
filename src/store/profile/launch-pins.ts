/** Launch pins: the tickets to start (GATE-1). A pin is taken before a ledger row names the generation. */
import { CodedError, invariant } from "../../kernel/errors.ts";
import type { Index } from "../index/open-index.ts";
import { deletePin, insertPin, type PinRow, pinsOfKind, readPin } from "../index/pins.ts";
import type { LaunchPin, LaunchPinRequest, LaunchPins } from "../launch-admission.ts";
import type { StoreContext } from "../store-context.ts";
import { readAdmission, requireOpenAdmission } from "./admission.ts";

export function createLaunchPins(context: StoreContext): LaunchPins {
  return {
    reserve(request) {
      const db = context.writing();
      return db.transaction(() => reserve(context, db, request)).immediate();
    },
    start(launchId) {
      const db = context.writing();
      return db.transaction(() => start(db, launchId)).immediate();
    },
    release: (launchId) => deletePin(context.writing(), pinId(launchId)),
    list: (profile) =>
      pinsOfKind(context.reading(), "launch")
        .filter((pin) => pin.profile === profile)
        .map(asLaunchPin),
  };
}

const pinId = (launchId: string): string => `launch-${launchId}`;

function reserve(context: StoreContext, db: Index, request: LaunchPinRequest): LaunchPin {
  const { launchId, generation, profile, scope, ledgerInstance } = request;
  const before = readPin(db, pinId(launchId));
  if (before !== null) {
    // A reply was lost: the same launch gets the pin that it has.
    const held = asLaunchPin(before);
    const asked = { generation, profile, scope, ledgerInstance };
    if (Object.entries(asked).every(([name, value]) => held[name as keyof typeof asked] === value))
      return held;
    throw new CodedError("pin_conflict", `Launch ${launchId} holds a pin on ${before.generation} already.`, {
      fields: { launchId, generation, pinned: before.generation, changed: false },
    });
  }
  const { epoch } = requireOpenAdmission(db, profile);
  const reason = `launch ${launchId} of scope ${scope}`;
  const row = { kind: "launch", generation, reason, since: context.clock.now() } as const;
  const ticket = { profile, launchId, scope, ledgerInstance, epoch, stage: "reserved" } as const;
  return asLaunchPin(insertPin(db, { id: pinId(launchId), ...row, ...ticket }));
}

function start(db: Index, launchId: string): LaunchPin {
  const pin = readPin(db, pinId(launchId));
  if (pin === null) {
    throw new CodedError("not_found", `Launch ${launchId} holds no pin.`, {
      hint: "Reserve it again.",
      fields: { launchId, changed: false },
    });
  }
  const { profile, epoch } = asLaunchPin(pin);
  if (pin.stage === "started") return asLaunchPin(pin);
  requireOpenAdmission(db, profile);
  // The epoch is compared inside the UPDATE as well, so that no close can come between.
  const { changes } = db
    .prepare(`
      UPDATE pin SET stage = 'started'
       WHERE id = @id AND stage = 'reserved'
         AND epoch = coalesce((SELECT epoch FROM admission WHERE admission.profile = pin.profile), 0)`)
    .run({ id: pin.id });
  if (changes === 1) return asLaunchPin({ ...pin, stage: "started" });
  const now = readAdmission(db, profile).epoch;
  throw new CodedError(
    "admission_lost",
    `Launch ${launchId} was reserved at epoch ${epoch}; the profile is at ${now} now.`,
    {
      hint: "Release it and reserve it again.",
      fields: { launchId, expected: epoch, epoch: now, changed: false },
    },
  );
}

function asLaunchPin({
  launchId,
  generation,
  profile,
  scope,
  ledgerInstance,
  epoch,
  stage,
  since,
}: PinRow): LaunchPin {
  invariant(
    launchId !== null &&
      profile !== null &&
      scope !== null &&
      ledgerInstance !== null &&
      epoch !== null &&
      stage !== null,
    "a launch pin's ticket is complete (pin_launch_holder)",
  );
  const sinceText = new Date(since).toISOString();
  return { launchId, generation, profile, scope, ledgerInstance, epoch, stage, since: sinceText };
}
