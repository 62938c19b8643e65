/** A reader that takes nothing costs the owner one page, however much happens meanwhile. */
import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { expect, it } from "vitest";
import { createEventStreams } from "../../src/owner/api/event-stream.ts";
import { createLedgerWorld } from "../fixtures/ledger-world.ts";

/** A connection whose buffer is full after each write, until `takes` empties it. */
class SlowResponse extends EventEmitter {
  written: string[] = [];
  writableNeedDrain = false;
  writeHead() {}
  flushHeaders() {}
  write(text: string) {
    this.written.push(text);
    this.writableNeedDrain = true;
    return false;
  }
  end() {}
  takes() {
    this.writableNeedDrain = false;
    this.emit("drain");
  }
}

it("gets the next page only once the one before has gone out", () => {
  const { statements: reading, operator, call } = createLedgerWorld();
  let wake: (last: number) => void = () => {};
  const onEvents = (listener: typeof wake) => {
    wake = listener;
    return () => {};
  };
  const streams = createEventStreams({
    coordinator: { reading, onEvents },
    timers: { monotonicNow: () => 0, after: () => () => {} },
  });
  const response = new SlowResponse();
  const request = { headers: {}, url: "/v1/events" } as unknown as IncomingMessage;
  streams.open(request, response as unknown as ServerResponse, () => true);
  for (let number = 0; number < 450; number += 1) {
    call("task add", operator, { title: `task ${number}`, brief: { objective: "x" } });
    wake(number);
  }
  expect(response.written).toHaveLength(1);
  for (let page = 0; page < 5; page += 1) response.takes();
  const numbers = response.written.map((text) => [...text.matchAll(/^id: (\d+)$/gm)].length);
  expect(Math.max(...numbers)).toBe(200);
  expect(response.written.join("").match(/"title":"task 449"/g)).toHaveLength(1);
});
