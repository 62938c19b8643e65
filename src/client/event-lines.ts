/** Reads server-sent events from the pieces in which they arrive. */

/** An event of a line longer than this is a fault: the owner's are far shorter. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;

export interface ServerSentEvent {
  /** Empty where the event names none. */
  readonly name: string;
  readonly data: string;
}

export function createEventLines(onEvent: (event: ServerSentEvent) => void): { feed(piece: Buffer): void } {
  let waiting: Buffer = Buffer.alloc(0);
  return {
    feed(piece) {
      waiting = Buffer.concat([waiting, piece]);
      for (let end = waiting.indexOf("\n\n"); end >= 0; end = waiting.indexOf("\n\n")) {
        const block = waiting.toString("utf8", 0, end);
        waiting = waiting.subarray(end + 2);
        const event = parseBlock(block);
        if (event !== null) onEvent(event);
      }
      if (waiting.length > MOST_WAITING_BYTES) throw new Error("an event of the feed has no end");
    },
  };
}

/** Null for a block that only keeps the connection alive. */
function parseBlock(block: string): ServerSentEvent | null {
  const lines = block.split("\n");
  const valuesOf = (field: string) =>
    lines.filter((line) => line.startsWith(`${field}: `)).map((line) => line.slice(field.length + 2));
  const data = valuesOf("data");
  return data.length === 0 ? null : { name: valuesOf("event")[0] ?? "", data: data.join("\n") };
}
