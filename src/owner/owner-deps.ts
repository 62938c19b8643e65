/** What an owner works with; built by its main, and by tests that run one in their own process. */
import type { OwnerDescriptor } from "../client/client.ts";
import type { Clock, Ids } from "../kernel/clock.ts";
import type { Failpoints } from "../kernel/failpoints.ts";
import type { ProcessIdentity } from "../kernel/processes.ts";
import type { Timers } from "../kernel/timers.ts";
import type { Environment } from "../operations/home.ts";
import type { ScopeName } from "../operations/scope/scope-place.ts";
import type { Store } from "../store/store.ts";
import type { AbsenceClocks } from "./presence/absence-watch.ts";
import type { ServerBounds } from "./server/create-server.ts";

export interface OwnerDeps {
  readonly name: ScopeName;
  /** swarm-gen's state folder, absolute. */
  readonly state: string;
  /** The generation that this program runs from; null for a build outside of the store. */
  readonly generation: string | null;
  /** Version of the program, for people. */
  readonly build: string;
  /** The versions of the API that it speaks; absent means this program's own. */
  readonly api?: OwnerDescriptor["api"];
  /** The port on 127.0.0.1; 0 takes any, null serves the socket alone. */
  readonly tcpPort: number | null;
  readonly env: Environment;
  readonly uid: number;
  readonly process: ProcessIdentity;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly timers: Timers;
  readonly absence: AbsenceClocks;
  /** Calls back in a later turn of the event loop, after what has arrived was read. */
  readonly defer: (next: () => void) => void;
  readonly failpoints: Failpoints;
  readonly openStore: () => Store;
  /** Of what a client can draw out; absent members are the server's own. */
  readonly bounds?: Partial<ServerBounds>;
}
