/** A ledger in a temporary folder with one actor of each kind, called without owner and socket. */
import { createHash, randomBytes } from "node:crypto";
import { authenticate } from "../../../src/coordinator/actors/authenticate.ts";
import { addActor, enrollActor } from "../../../src/coordinator/actors/enroll.ts";
import type { Answer } from "../../../src/coordinator/commit/apply-batch.ts";
import type { Caller, Transaction } from "../../../src/coordinator/commit/transaction.ts";
import { type Coordinator, createCoordinator } from "../../../src/coordinator/create-coordinator.ts";
import { createLedger } from "../../../src/coordinator/ledger/open-ledger.ts";
import { type CanonicalValue, canonicalBytes } from "../../../src/kernel/canonical-json.ts";
import { noFailpoints } from "../../../src/kernel/failpoints.ts";
import { uuidV7 } from "../../../src/kernel/uuid.ts";
import { OPERATION_CODE } from "../../../src/operations/ledger/operation-code.ts";
import type { OperationName } from "../../../src/operations/ledger/operation-table.ts";

const ids = { hex: (bytes: number) => randomBytes(bytes).toString("hex") };
const clock = { now: () => Date.now() };

export interface LedgerInProcess {
  readonly coordinator: Coordinator;
  /** A caller of that kind, enrolled for it. */
  enroll(kind: Caller["kind"]): Promise<Caller>;
  /** What the server does with a request once it is read: parse, fingerprint, commit. */
  call<Output>(name: OperationName, caller: Caller, input: CanonicalValue): Promise<Output>;
}

export function openLedgerInProcess(path: string): LedgerInProcess {
  const db = createLedger({
    path,
    instance: ids.hex(8),
    root: "/bench",
    profile: "default",
    now: clock.now(),
  });
  const coordinator = createCoordinator({
    db,
    clock,
    ids,
    failpoints: noFailpoints,
    defer: (next) => void setImmediate(next),
  });
  const within = async <Output>(execute: (transaction: Transaction) => Output): Promise<Output> =>
    settled(await coordinator.submit({ record: null, execute }));
  return {
    coordinator,
    async enroll(kind) {
      const capabilityDigest = createHash("sha256").update(ids.hex(16)).digest("hex");
      const actor = `${kind}-${ids.hex(4)}`;
      const actorKind = kind === "launcher" ? "owner" : kind;
      await within((tx) => {
        addActor(tx, { actor, kind: actorKind, label: actor });
        return enrollActor(tx, {
          actor,
          kind: actorKind,
          label: actor,
          consumer: "script",
          capabilityDigest,
        });
      });
      return authenticate(coordinator.reading, capabilityDigest) as Caller;
    },
    async call(name, caller, input) {
      const code = OPERATION_CODE[name];
      const parsed = code.input.parse(input);
      if (!("run" in code)) return code.query(coordinator.reading, caller, parsed, clock.now());
      const fingerprint = createHash("sha256")
        .update(canonicalBytes([name, input]))
        .digest("hex");
      const record = { actor: caller.actor, id: uuidV7(clock.now(), ids), operation: name, fingerprint };
      const execute = (transaction: Transaction) => code.run(transaction, caller, parsed);
      return settled(await coordinator.submit({ record, execute }));
    },
  };
}

function settled<Output>(answer: Answer): Output {
  if (!answer.ok) throw answer.error;
  return answer.output as Output;
}
