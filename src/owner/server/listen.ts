/** Binds the API's servers: on the scope's socket, and on 127.0.0.1 where that is asked for. */
import { rmSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { CodedError, systemCode } from "../../kernel/errors.ts";
import type { Api } from "../api/create-api.ts";
import { createOwnerServer, SERVER_BOUNDS, type ServerBounds } from "./create-server.ts";

export interface Listening {
  /** The port on 127.0.0.1; null where the socket alone is served. */
  readonly tcpPort: number | null;
  /** Ends all servers and takes the socket away. */
  close(): Promise<void>;
}

export interface ListenRequest {
  readonly socket: string;
  readonly tcpPort: number | null;
  readonly bounds: Partial<ServerBounds>;
}

/**
 * `tcpPort` 0 takes any that is free. The caller holds owner.lock: a socket that is there was left
 * by an owner that was killed.
 */
export async function listen(api: Api, { socket, tcpPort, bounds }: ListenRequest): Promise<Listening> {
  rmSync(socket, { force: true });
  const all = { ...SERVER_BOUNDS, ...bounds };
  const local = createOwnerServer(api, all, () => null);
  await bind(local.server, { path: socket }, socket);
  if (tcpPort === null) {
    return {
      tcpPort: null,
      async close() {
        rmSync(socket, { force: true });
        await local.close();
      },
    };
  }
  let bound = tcpPort;
  const remote = createOwnerServer(api, all, () => bound);
  await bind(remote.server, { host: "127.0.0.1", port: tcpPort }, `127.0.0.1:${tcpPort}`);
  bound = (remote.server.address() as AddressInfo).port;
  return {
    tcpPort: bound,
    async close() {
      rmSync(socket, { force: true });
      await Promise.all([local.close(), remote.close()]);
    },
  };
}

function bind(
  server: Server,
  place: { readonly path: string } | { readonly host: string; readonly port: number },
  name: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => {
      reject(
        new CodedError("owner_unavailable", `The owner cannot listen on ${name}: ${systemCode(cause)}.`, {
          hint: "See what listens there already, or choose another place.",
          cause,
          fields: { place: name },
        }),
      );
    });
    server.listen(place, resolve);
  });
}
