/** Who may start a launch and when, as the store's users see it: launch pins and admission (GATE-1). */
import type { ProcessIdentity } from "../kernel/processes.ts";
import type { GenerationId } from "./identity/object-id.ts";

/** Launch pins are the tickets to start (GATE-1). */
export interface LaunchPins {
  /** Takes a `reserved` pin, only while admission is open. The same launch again is the same pin. `admission_closed`, `generation_collecting`. */
  reserve(request: LaunchPinRequest): LaunchPin;
  /** Moves it to `started`, only if admission is open at the pin's epoch. `admission_closed`, `admission_lost`. */
  start(launchId: string): LaunchPin;
  /** Needs no admission. False where no such pin is left. */
  release(launchId: string): boolean;
  /** The launch pins of a profile, reserved and started. */
  list(profile: string): readonly LaunchPin[];
}

export interface LaunchPinRequest {
  readonly launchId: string;
  readonly generation: GenerationId;
  readonly profile: string;
  readonly scope: string;
  readonly ledgerInstance: string;
}

export interface LaunchPin extends LaunchPinRequest {
  readonly epoch: number;
  readonly stage: "reserved" | "started";
  readonly since: string;
}

export interface Admission {
  readonly profile: string;
  readonly state: "open" | "closed";
  readonly epoch: number;
  readonly holder: AdmissionHolder | null;
  readonly target: GenerationId | null;
  readonly reason: string | null;
  readonly since: string | null;
}

export interface AdmissionHolder extends ProcessIdentity {
  readonly command: string;
}

export interface AdmissionControl {
  /** The profile's admission as it is now; open, at epoch 0, where it was never closed. */
  read(profile: string): Admission;
  /** Closes it and raises the epoch. `admission_closed` where another holds it. */
  close(request: {
    readonly profile: string;
    readonly command: string;
    readonly reason: string;
    readonly target: GenerationId | null;
  }): Admission;
  /** Opens it again, only for the epoch that closed it. `admission_lost`. */
  open(request: { readonly profile: string; readonly epoch: number }): Admission;
}
