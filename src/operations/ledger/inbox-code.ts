/** Schemas and code of the operations on messages. */
import { z } from "zod";
import { type AckInput, type Acknowledged, ackEnvelope } from "../../coordinator/inbox/ack-envelope.ts";
import { DELIVERY_STATES } from "../../coordinator/inbox/delivery-machine.ts";
import { type Fetched, type FetchInput, fetchEnvelope } from "../../coordinator/inbox/fetch-envelope.ts";
import {
  type DeliveryPage,
  type ListDeliveriesInput,
  listDeliveries,
} from "../../coordinator/inbox/list-deliveries.ts";
import { MESSAGE_KINDS, SENT_KINDS } from "../../coordinator/inbox/message-kinds.ts";
import { type PresentInput, presentEnvelope } from "../../coordinator/inbox/present-envelope.ts";
import type { DeliveryView, Envelope } from "../../coordinator/inbox/read-deliveries.ts";
import { type ReconcileInput, reconcileDelivery } from "../../coordinator/inbox/reconcile-delivery.ts";
import {
  type Processed,
  type RecordProcessedInput,
  recordProcessed,
} from "../../coordinator/inbox/record-processed.ts";
import { type RejectInput, rejectEnvelope } from "../../coordinator/inbox/reject-envelope.ts";
import { type RenewInput, renewEnvelope } from "../../coordinator/inbox/renew-envelope.ts";
import {
  MOST_BODY_BYTES,
  type SendInput,
  type SentMessage,
  sendMessage,
} from "../../coordinator/inbox/send-message.ts";
import { type ShownMessage, showMessage } from "../../coordinator/inbox/show-message.ts";
import type { CommandCode, QueryCode } from "./operation-code.ts";
import { actorId, count, durationMs, instant, line, pageLimit } from "./schema-parts.ts";

const messageId = z.string().regex(/^m-[0-9a-f]{4,32}$/, "the id of a message, like m-5c1b90aa31f4");
const leaseToken = z.string().regex(/^[0-9a-f]{8,64}$/, "the lease token that the fetch gave");
const messagePrefix = z
  .string()
  .regex(/^m-[0-9a-f]{1,32}$/, "the id of a message or its beginning, like m-5c1b");
const lease = { message: messagePrefix, leaseToken };
const result = z
  .json()
  .default(null)
  .refine((value) => JSON.stringify(value).length <= MOST_BODY_BYTES, "a result has at most 16 KiB of JSON");
const state = z.enum(DELIVERY_STATES);

const envelope = z.strictObject({
  message: messageId,
  kind: z.enum(MESSAGE_KINDS),
  sender: actorId,
  thread: z.string().nullable(),
  body: z.string(),
  sentAt: instant,
  state: z.enum(["leased", "presented"]),
  attempt: count,
  leaseToken,
  leaseUntil: instant,
}) satisfies z.ZodType<Envelope>;

const delivery = z.strictObject({
  message: messageId,
  kind: z.enum(MESSAGE_KINDS),
  sender: actorId,
  recipient: actorId,
  thread: z.string().nullable(),
  excerpt: z.string(),
  state,
  attempt: count,
  sentAt: instant,
  expiresAt: instant.nullable(),
  nextAttemptAt: instant.nullable(),
  leasedAt: instant.nullable(),
  leaseUntil: instant.nullable(),
  presentedAt: instant.nullable(),
  processedAt: instant.nullable(),
  settledAt: instant.nullable(),
  reason: z.string().nullable(),
}) satisfies z.ZodType<DeliveryView>;

export const INBOX_CODE = {
  "inbox send": {
    input: z.strictObject({
      to: z.array(actorId).min(1).max(100),
      kind: z.enum(SENT_KINDS).default("note"),
      body: z.string().min(1).max(MOST_BODY_BYTES),
      thread: z
        .string()
        .regex(/^[\w.:/-]{1,100}$/, "letters, digits and . : / _ -, at most 100")
        .optional(),
      expiresInMs: durationMs.optional(),
    }),
    output: z.strictObject({
      message: messageId,
      recipients: z.array(actorId),
      sentAt: instant,
      expiresAt: instant.nullable(),
    }),
    run: sendMessage,
  } satisfies CommandCode<SendInput, SentMessage>,
  "inbox fetch": {
    input: z.strictObject({
      consumer: z.enum(["channel", "hook", "script"]).default("script"),
      mcpInstance: z.string().min(1).max(100).optional(),
    }),
    output: z.strictObject({
      envelope: envelope.nullable(),
      because: z
        .enum([
          "empty",
          "not_due",
          "not_ready",
          "mcp_not_ready",
          "session_unknown",
          "session_busy",
          "session_ended",
        ])
        .nullable(),
      dueAt: instant.nullable(),
    }),
    run: fetchEnvelope,
  } satisfies CommandCode<FetchInput, Fetched>,
  "inbox presented": {
    input: z.strictObject({ message: messageId, leaseToken }),
    output: delivery,
    run: presentEnvelope,
  } satisfies CommandCode<PresentInput, DeliveryView>,
  "inbox renew": {
    input: z.strictObject(lease),
    output: envelope,
    run: renewEnvelope,
  } satisfies CommandCode<RenewInput, Envelope>,
  "inbox ack": {
    input: z.strictObject({ ...lease, result }),
    output: z.strictObject({
      message: messageId,
      state: z.literal("acknowledged"),
      result: z.json(),
    }) as z.ZodType<Acknowledged>,
    run: ackEnvelope,
  } satisfies CommandCode<AckInput, Acknowledged>,
  "inbox reject": {
    input: z.strictObject({ ...lease, reason: line, delayMs: durationMs.optional() }),
    output: delivery,
    run: rejectEnvelope,
  } satisfies CommandCode<RejectInput, DeliveryView>,
  "inbox processed": {
    input: z.strictObject({ message: messagePrefix, result }),
    output: z.strictObject({ message: messageId, result: z.json() }) as z.ZodType<Processed>,
    run: recordProcessed,
  } satisfies CommandCode<RecordProcessedInput, Processed>,
  "inbox ls": {
    input: z.strictObject({
      recipient: actorId.optional(),
      state: state.optional(),
      after: z.string().max(100).optional(),
      limit: pageLimit,
    }),
    output: z.strictObject({ deliveries: z.array(delivery), next: z.string().nullable() }),
    query: listDeliveries,
  } satisfies QueryCode<ListDeliveriesInput, DeliveryPage>,
  "inbox show": {
    input: z.strictObject({ message: messagePrefix }),
    output: z.strictObject({
      message: messageId,
      kind: z.enum(MESSAGE_KINDS),
      sender: actorId,
      thread: z.string().nullable(),
      body: z.string(),
      sentAt: instant,
      deliveries: z.array(delivery.extend({ result: z.json() })),
    }) as z.ZodType<ShownMessage>,
    query: showMessage,
  } satisfies QueryCode<{ readonly message: string }, ShownMessage>,
  "inbox reconcile": {
    input: z.strictObject({
      message: messagePrefix,
      recipient: actorId.optional(),
      outcome: z.enum(["processed", "redeliver"]),
      reason: line,
    }),
    output: delivery,
    run: reconcileDelivery,
  } satisfies CommandCode<ReconcileInput, DeliveryView>,
};
