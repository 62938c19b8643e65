/** Parts that the schemas of several operations share. */
import { z } from "zod";

/** One line for people: bounded, and without control characters. */
export const line = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+$/u, "one line without control characters");

export const taskId = z.string().regex(/^t-[0-9a-f]{4,32}$/, "the id of a task, like t-5c1b90aa31f4");
/** Wherever a task is named, a unique beginning of its id will do. */
export const taskPrefix = z
  .string()
  .regex(/^t-[0-9a-f]{1,32}$/, "the id of a task or its beginning, like t-5c1b");
export const instant = z.iso.datetime().describe("ISO 8601, UTC");
export const count = z.int().min(0);
/** At most thirty days, in milliseconds. */
export const durationMs = z
  .int()
  .min(1)
  .max(30 * 24 * 60 * 60 * 1000);
/** `operator`, `owner`, or an enrolled actor's id like w-5c1b90aa31f4. */
export const actorId = z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, "the id of an actor, like w-5c1b90aa31f4");
export const pageLimit = z.int().min(1).max(500).default(100);
export const cursor = z.string().max(100).describe("where the next page begins; as it was given");
/** One word without white space, of somebody else's naming: a generation, a version, an effort. */
export const word = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[\x21-\x7e]+$/, "printable characters without white space");
export const nativeSession = word.describe("the harness's own id of its session");
export const absolutePath = z.string().max(4096).regex(/^\//, "an absolute path");
export const digest = z.string().regex(/^[0-9a-f]{64}$/, "a SHA-256 in lower-case hex");
export const intentId = z.string().regex(/^i-[0-9a-f]{4,32}$/, "the id of an intent, like i-5c1b90aa31f4");
export const launchId = z.string().regex(/^l-[0-9a-f]{4,32}$/, "the id of a launch, like l-5c1b90aa31f4");
export const launchPrefix = z
  .string()
  .regex(/^l-[0-9a-f]{1,32}$/, "the id of a launch or its beginning, like l-5c1b");
