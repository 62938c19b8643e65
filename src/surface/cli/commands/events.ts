/**
 * events: a page of the feed, or with --follow all that comes, one line an event, until Ctrl+C or
 * the end of the reader.
 */
import type { FollowedEvent } from "../../../client/client.ts";
import { LEDGER_OPERATIONS } from "../../../operations/ledger/operation-table.ts";
import type { Answer, Call } from "../call.ts";
import { callOperation } from "../ledger/call-operation.ts";
import { withClient } from "../ledger/scope-call.ts";
import { cleanJson } from "../render/clean-text.ts";
import { eventLine } from "../render/ledger/event-line.ts";
import type { ScopeFlags } from "../table/scope-flags.ts";

interface EventsFlags extends ScopeFlags {
  readonly follow?: boolean;
  readonly since?: number;
}

export async function run(call: Call<EventsFlags>): Promise<Answer> {
  const { flags } = call;
  if (flags.follow !== true) return callOperation(LEDGER_OPERATIONS.events, call);
  await follow(call, flags);
  return {};
}

function follow(call: Call, { since, json }: EventsFlags): Promise<void> {
  const { stdout, stderr, interruption } = call.host;
  const line = (event: FollowedEvent) =>
    json === true ? cleanJson(JSON.stringify(event)) : eventLine(event);
  return withClient(call, { start: false }, (client) =>
    client.events({
      after: since ?? 0,
      signal: interruption,
      onEvent: (event) => void stdout.write(`${line(event)}\n`),
      onGap: ({ after, first }) =>
        void stderr.write(`events ${after + 1} to ${first - 1} are no longer kept\n`),
    }),
  );
}
