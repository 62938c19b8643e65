/** The API as OpenAPI 3.1, made from the table of operations and their schemas. */
import { z } from "zod";
import { API_VERSIONS } from "../../kernel/api-version.ts";
import { CATALOGUE } from "../../kernel/errors.ts";
import { OPERATION_CODE } from "../../operations/ledger/operation-code.ts";
import type { OperationRow } from "../../operations/ledger/operation-row.ts";
import { LEDGER_OPERATIONS, type OperationName, routeOf } from "../../operations/ledger/operation-table.ts";
import { batchInput } from "./run-batch.ts";

type Json = Record<string, unknown>;

/** JSON Schema 2020-12, as OpenAPI 3.1 takes it. */
export function jsonSchemaOf(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}

export function openApiDocument(build: string): Json {
  const rows: readonly OperationRow[] = Object.values(LEDGER_OPERATIONS);
  return {
    openapi: "3.1.0",
    info: {
      title: "swarm-gen owner",
      version: `${API_VERSIONS[1]}`,
      description: `The coordinator of one scope. Built as ${build}.`,
    },
    servers: [
      { url: "http://localhost", description: "over the scope's Unix socket, which `endpoint` names" },
    ],
    security: [{ capability: [] }],
    paths: {
      ...Object.fromEntries(rows.map((row) => [routeOf(row.name), { post: operation(row) }])),
      "/v1/batch": { post: batch() },
      "/v1/owner.stop": { post: stop() },
      "/v1/events": { get: events() },
      "/v1/descriptor": { get: open("what the owner says of itself") },
      "/openapi.json": { get: open("this document") },
    },
    components: {
      securitySchemes: { capability: { type: "http", scheme: "bearer" } },
      schemas: { Problem: problem() },
    },
  };
}

function operation({ name, kind, brief, description, callers }: OperationRow): Json {
  const { input, output } = OPERATION_CODE[name as OperationName];
  return {
    operationId: name.replaceAll(" ", "."),
    summary: brief,
    description: [description, `Callers: ${callers.join(", ")}.`].filter(Boolean).join(" "),
    ...(kind === "command" ? { parameters: [commandHeader()] } : {}),
    requestBody: { required: true, content: json(jsonSchemaOf(input, "input")) },
    responses: answers(jsonSchemaOf(output, "output")),
  };
}

function commandHeader(): Json {
  return {
    name: "swarm-gen-command",
    in: "header",
    required: true,
    description: "A UUIDv7 of the client's making; the same id again gets the recorded answer.",
    schema: { type: "string", format: "uuid" },
  };
}

function batch(): Json {
  return {
    operationId: "batch",
    summary: "several calls in their order",
    requestBody: { required: true, content: json(jsonSchemaOf(batchInput, "input")) },
    responses: answers({
      type: "object",
      required: ["answers"],
      properties: { answers: { type: "array", items: { type: "object" } } },
    }),
  };
}

function stop(): Json {
  return {
    operationId: "owner.stop",
    summary: "end the owner once what is in flight is done",
    description: "Callers: operator.",
    requestBody: { required: true, content: json({ type: "object" }) },
    responses: answers({ type: "object" }),
  };
}

function events(): Json {
  return {
    operationId: "events.follow",
    summary: "the feed, as server-sent events",
    parameters: [
      { name: "last-event-id", in: "header", schema: { type: "integer", minimum: 0 } },
      { name: "after", in: "query", schema: { type: "integer", minimum: 0 } },
    ],
    responses: {
      "200": { description: "the feed", content: { "text/event-stream": {} } },
      default: refusal(),
    },
  };
}

function open(summary: string): Json {
  return { summary, security: [], responses: answers({ type: "object" }) };
}

function answers(schema: Json): Json {
  return { "200": { description: "done", content: json(schema) }, default: refusal() };
}

function refusal(): Json {
  return {
    description: "refused",
    content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
  };
}

const json = (schema: Json): Json => ({ "application/json": { schema } });

function problem(): Json {
  const text = { type: "string" };
  return {
    type: "object",
    required: ["type", "title", "status", "code", "message", "hint", "retryable"],
    properties: {
      type: text,
      title: text,
      status: { type: "integer" },
      code: { enum: Object.keys(CATALOGUE) },
      message: text,
      hint: text,
      retryable: { type: "boolean" },
    },
  };
}
