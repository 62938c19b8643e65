/**
 * The plan of a collection: which generations live and which are dead, by one policy behind every
 * verb. Pure, so that live, dead, dry-run and delete agree.
 *
 * A generation lives while a pin names it that still counts, while it is among the activations that
 * are kept, while a process runs from it, and for a grace time after it was last staged. A pin stops
 * counting when its time is over or when the process that holds it is proven dead; launch and owner
 * pins are dropped by their owner alone.
 */
import type { ExecutionScan, Liveness, ProcessIdentity } from "../../kernel/processes.ts";
import type { GenerationId } from "../identity/object-id.ts";
import { holderOf, type PinRow } from "../index/pins.ts";

export interface PlanInput {
  readonly generations: readonly {
    readonly id: GenerationId;
    readonly state: string;
    readonly stagedAt: number;
  }[];
  readonly pins: readonly PinRow[];
  /** Which activations each profile keeps: `profile@number`. */
  readonly keptActivations: ReadonlySet<string>;
  /** Their generations: a request may keep more of history than has pins. */
  readonly keptGenerations: ReadonlySet<GenerationId>;
  readonly liveness: (holder: ProcessIdentity) => Liveness;
  /** Asked only when something would die. */
  readonly scan: () => ExecutionScan;
  /** The folder below which generations stand, absolute. */
  readonly generationsFolder: string;
  readonly now: number;
  readonly graceMs: number;
}

export interface CollectionPlan {
  readonly live: readonly GenerationId[];
  readonly dead: readonly GenerationId[];
  /** Pins that no longer count, to be dropped. */
  readonly lapsed: readonly PinRow[];
  readonly executing: readonly {
    readonly generation: GenerationId;
    readonly pid: number;
    readonly path: string;
  }[];
}

export function planCollection(input: PlanInput): CollectionPlan {
  const lapsed = input.pins.filter((pin) => isLapsed(pin, input));
  const dropped = new Set(lapsed);
  const pinned = new Set(input.pins.filter((pin) => !dropped.has(pin)).map(({ generation }) => generation));
  const isKept = ({ id, state, stagedAt }: PlanInput["generations"][number]) =>
    state === "present" &&
    (pinned.has(id) || input.keptGenerations.has(id) || input.now - stagedAt < input.graceMs);
  const unpinned = input.generations.filter((generation) => !isKept(generation)).map(({ id }) => id);
  const executing = unpinned.length === 0 ? [] : executingIn(unpinned, input);
  const running = new Set(executing.map(({ generation }) => generation));
  const dead = unpinned.filter((id) => !running.has(id));
  const isDead = new Set(dead);
  return {
    live: input.generations.map(({ id }) => id).filter((id) => !isDead.has(id)),
    dead,
    lapsed,
    executing,
  };
}

/** Whether a pin no longer counts. */
export function isLapsed(
  pin: PinRow,
  { keptActivations, liveness, now }: Pick<PlanInput, "keptActivations" | "liveness" | "now">,
): boolean {
  if (pin.kind === "activation") return !keptActivations.has(`${pin.profile}@${pin.activation}`);
  if (pin.kind === "manual") return pin.expiresAt !== null && pin.expiresAt <= now;
  if (pin.kind !== "stage" && pin.kind !== "process") return false;
  const holder = holderOf(pin);
  return holder !== null && liveness(holder) === "dead";
}

function executingIn(
  ids: readonly GenerationId[],
  { scan, generationsFolder }: PlanInput,
): CollectionPlan["executing"] {
  const asked = new Set(ids);
  return scan().executing.flatMap(({ pid, path }) => {
    const generation = path.slice(generationsFolder.length + 1).split("/")[0] ?? "";
    return asked.has(generation) ? [{ generation, pid, path }] : [];
  });
}
