/** A request's body as JSON, within bounds: nothing that a client sends may cost more than it should. */
import type { IncomingMessage } from "node:http";
import { CodedError } from "../../kernel/errors.ts";

export const MOST_BODY_BYTES = 1024 * 1024;
/** What checks and prints a value calls itself for each level. */
const MOST_LEVELS = 64;

/** `invalid_input`, naming what is wrong with the body as a whole. */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  const type = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw invalid(`The body's content type is ${type ?? "missing"}, not application/json.`);
  }
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > MOST_BODY_BYTES) throw tooLarge();
  return parseJson(await readBytes(request));
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    // Kept open when it is refused half-way: the refusal still has to go out.
    for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > MOST_BODY_BYTES) throw tooLarge();
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof CodedError) throw error;
    // A client that left is no bug of ours, and nobody hears this.
    throw invalid("The request ended before its body did.", error);
  }
  return Buffer.concat(pieces);
}

export function parseJson(bytes: Buffer): unknown {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (cause) {
    throw invalid("The body is no JSON in UTF-8.", cause);
  }
  if (isDeeperThan(value, MOST_LEVELS)) throw invalid(`The body has more than ${MOST_LEVELS} levels.`);
  if (hasHalfCharacter(value)) throw invalid("The body has half of a surrogate pair, which is no character.");
  return value;
}

/** UTF-8 has none, but an escape may name one; no database and no terminal would keep it as it is. */
function hasHalfCharacter(value: unknown): boolean {
  if (typeof value === "string") return /\p{Surrogate}/u.test(value);
  if (value === null || typeof value !== "object") return false;
  return Object.entries(value).some(([key, member]) => hasHalfCharacter(key) || hasHalfCharacter(member));
}

// Without recursion: the depth is what is not known yet.
function isDeeperThan(value: unknown, most: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > most) return true;
    level = level.flatMap((each) => (each !== null && typeof each === "object" ? Object.values(each) : []));
  }
  return false;
}

function tooLarge(): CodedError {
  return invalid(`The body has more than ${MOST_BODY_BYTES} bytes.`);
}

function invalid(message: string, cause?: unknown): CodedError {
  return new CodedError("invalid_input", message, {
    ...(cause === undefined ? {} : { cause }),
    fields: { changed: false },
  });
}
