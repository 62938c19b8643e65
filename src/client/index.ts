/** The client of a scope's owner, for whoever talks to one. */
export type {
  BatchAnswer,
  BatchCall,
  CallOptions,
  Client,
  FollowedEvent,
  FollowRequest,
  OwnerDescriptor,
} from "./client.ts";
export type { ClientDeps } from "./client-deps.ts";
export { createClient } from "./create-client.ts";
