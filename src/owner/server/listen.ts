/** Binds one of the API's servers: on a socket, or on 127.0.0.1. */
import { rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { CodedError, systemCode } from "../../kernel/errors.ts";
import type { Api } from "../api/create-api.ts";
import { createOwnerServer, type OwnerServer, SERVER_BOUNDS, type ServerBounds } from "./create-server.ts";

export interface Listening {
  /** Ends it with its connections. */
  close(): Promise<void>;
}

/**
 * The caller holds owner.lock and the path is of this scope's folder alone: a socket that is there was
 * left by an owner that was killed.
 */
export async function listenOnSocket(
  api: Api,
  path: string,
  bounds: Partial<ServerBounds>,
): Promise<Listening> {
  rmSync(path, { force: true });
  const local = createOwnerServer(api, { ...SERVER_BOUNDS, ...bounds }, () => null);
  await bind(local, { path }, path);
  return {
    async close() {
      // First, so that nobody connects to what no longer answers.
      rmSync(path, { force: true });
      await local.close();
    },
  };
}

/** Port 0 takes any that is free. */
export async function listenOnPort(
  api: Api,
  port: number,
  bounds: Partial<ServerBounds>,
): Promise<Listening & { readonly port: number }> {
  let bound = port;
  const remote = createOwnerServer(api, { ...SERVER_BOUNDS, ...bounds }, () => bound);
  await bind(remote, { host: "127.0.0.1", port }, `127.0.0.1:${port}`);
  bound = (remote.server.address() as AddressInfo).port;
  return { port: bound, close: () => remote.close() };
}

function bind(
  { server }: OwnerServer,
  place: { readonly path: string } | { readonly host: string; readonly port: number },
  name: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error) => {
      reject(
        new CodedError("owner_unavailable", `The owner cannot listen on ${name}: ${systemCode(cause)}.`, {
          hint: "See what listens there already, or choose another place.",
          cause,
          fields: { place: name },
        }),
      );
    };
    server.once("error", fail);
    server.listen(place, () => {
      server.off("error", fail);
      resolve();
    });
  });
}
