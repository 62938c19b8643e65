/**
 * Where a page of a list goes on that is sorted by age, then id, the newest first: after its last
 * row, so that rows which come meanwhile shift no page.
 */
import { CodedError } from "../../kernel/errors.ts";

export interface AgeCursor {
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly id: string;
}

const BEGINNING: AgeCursor = { createdAt: Number.MAX_SAFE_INTEGER, id: "" };

/** `invalid_input` for what no page named as `next`. */
export function ageCursor(after: string | undefined, ofIds: RegExp): AgeCursor {
  if (after === undefined) return BEGINNING;
  const [, createdAt, id] = /^(\d{1,15})\.(.+)$/.exec(after) ?? [];
  if (createdAt !== undefined && id !== undefined && ofIds.test(id)) {
    return { createdAt: Number(createdAt), id };
  }
  throw new CodedError("invalid_input", `${after} is no cursor of this list.`, {
    hint: "Take `next` of the page before as it is.",
    fields: { path: "after", changed: false },
  });
}

export interface AgePage<Row> {
  readonly page: readonly Row[];
  /** Null on the last page. */
  readonly next: string | null;
}

/** `rows`: one more than the page holds, if there are more. */
export function agePage<Row extends { readonly createdAt: number }>(
  rows: readonly Row[],
  limit: number,
  idOf: (row: Row) => string,
): AgePage<Row> {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const isMore = rows.length > limit && last !== undefined;
  return { page, next: isMore ? `${last.createdAt}.${idOf(last)}` : null };
}
