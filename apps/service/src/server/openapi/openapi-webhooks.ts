import { signedRequest } from "../../webhooks/webhooks.ts";
import { isSystem } from "../../events/events.ts";
import type { EventType } from "../../events/events.ts";
import { hide, parseId, parseRfc3339 } from "../../lib/lib.ts";
import type { Instant, ParsedId } from "../../lib/lib.ts";
import type { Schema } from "./openapi-schema.ts";

/** The secret of the examples, with which a reader can compute their signatures. */
const SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
const EVENT = knownId("evt_7k2m9qaw01m7w4q17jeay9df1b7sqp908g");
const DELIVERY = knownId("dlv_7k2m9qaw01m7w4rx14e06t8399tk5zr5ty");
const WORKSPACE = knownId("ws_7k2m9qaw01m7w4trtpe5fa2qm9ja6ten3h");
const OCCURRED = moment("2026-11-21T13:00:00.000Z");

const HEADERS: Readonly<Record<string, string>> = {
  "X-Service-Signature": "Hex HMAC-SHA256 of the raw body, keyed with the text of the secret.",
  "X-Service-Timestamp": "Unix time of this attempt, in seconds.",
  "X-Service-Event": "The name of the event.",
  "X-Service-Delivery": "The id of the delivery. The same on every attempt.",
  "X-Service-Idempotency": "A nonce of the delivery. The same on every attempt.",
  "webhook-id": "The id of the delivery (Standard Webhooks).",
  "webhook-timestamp": "Unix time of this attempt, in seconds (Standard Webhooks).",
  "webhook-signature":
    "`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`, keyed with the decoded secret (Standard Webhooks). While a regenerated secret overlaps with the previous one, there are two signatures, separated by a space.",
};

const ANSWERS = {
  "2XX": { description: "Delivered." },
  "410": { description: "The delivery is marked as failed at once, and the endpoint is deactivated." },
  default: {
    description:
      "The attempt failed. No response within 15 seconds is also a failed attempt. The delivery is retried on the retry schedule, then marked as failed.",
  },
};

const text = (description: string, more: object = {}): Schema => ({ type: "string", description, ...more });

/** The envelope of every delivery's body. */
const ENVELOPE: Schema = {
  type: "object",
  description: "The body of a delivery: the same bytes on every attempt.",
  required: [
    "event",
    "delivery_id",
    "idempotency_key",
    "id",
    "type",
    "timestamp",
    "scope_kind",
    "scope_key",
    "environment",
    "data",
    "signature",
  ],
  properties: {
    event: text("The name of the event."),
    delivery_id: text("The id of the delivery."),
    idempotency_key: text("A nonce of the delivery. The same on every attempt."),
    id: text("The id of the event."),
    type: text("The name of the event again, in the place that Standard Webhooks defines."),
    timestamp: text("When the event happened.", { format: "date-time" }),
    scope_kind: text("The kind of the event's owner.", { enum: ["workspace"] }),
    scope_key: text("The id of the workspace."),
    environment: text("The environment of the event.", { enum: ["live", "sandbox"] }),
    data: {
      type: "object",
      additionalProperties: true,
      description: "The data of the event, byte for byte as it was fired.",
    },
    signature: text("`sha256=` and the hex HMAC-SHA256 of the body, calculated with this value empty."),
  },
};

/** Returns the schemas of a delivery's body: the envelope, and the data of each event type in the catalog. */
export function webhookSchemas(types: readonly EventType[]): Record<string, Schema> {
  const data = types.map(({ name, description, schema }) => [dataName(name), { description, ...schema }] as const);
  return { WebhookMessage: ENVELOPE, ...Object.fromEntries(data) };
}

/** Returns the headers of every delivery. */
export function webhookParameters(types: readonly EventType[]): Record<string, object> {
  const { headers } = message(sampleOf(types));
  return Object.fromEntries(
    Object.entries(HEADERS).map(([name, description]) => [
      parameterName(name),
      { name, in: "header", required: true, description, schema: { type: "string" }, example: headers[name] },
    ]),
  );
}

/** Returns every event type that an endpoint can subscribe to, as the request that it receives. */
export function webhooks(types: readonly EventType[]): Record<string, object> {
  return Object.fromEntries(types.map((type) => [type.name, { post: delivery(type) }]));
}

/** Returns the callback of creating an endpoint. */
export function deliveryCallback(types: readonly EventType[]): object {
  const sample = sampleOf(types);
  const { operationId: _none, ...request } = delivery(sample);
  const description =
    "Each event that the endpoint subscribes to is posted to its URL. `x-webhooks` describes the `data` of every event.";
  return {
    delivery: {
      "{$request.body#/url}": {
        post: {
          ...request,
          operationId: "receiveDelivery",
          summary: "A signed delivery",
          description,
          requestBody: body({ $ref: "#/components/schemas/WebhookMessage" }, sample),
        },
      },
    },
  };
}

function delivery(type: EventType): { operationId: string; [member: string]: unknown } {
  const schema = {
    allOf: [
      { $ref: "#/components/schemas/WebhookMessage" },
      {
        type: "object",
        properties: {
          event: { type: "string", enum: [type.name] },
          type: { type: "string", enum: [type.name] },
          data: { $ref: `#/components/schemas/${dataName(type.name)}` },
        },
      },
    ],
  };
  return {
    operationId: `receive${pascal(type.name)}`,
    summary: type.title,
    description: type.description,
    tags: ["webhook_endpoints"],
    "x-canonical": !isSystem(type.name),
    parameters: Object.keys(HEADERS).map((name) => ({ $ref: `#/components/parameters/${parameterName(name)}` })),
    requestBody: body(schema, type),
    responses: ANSWERS,
    security: [],
  };
}

function body(schema: object, type: EventType): object {
  return {
    required: true,
    content: { "application/json": { schema, example: JSON.parse(message(type).body) as unknown } },
  };
}

function message(type: EventType): { headers: Record<string, string>; body: string } {
  const facts = {
    tag: EVENT.tag,
    environment: "live" as const,
    workspaceId: WORKSPACE.uuid,
    deliveryId: DELIVERY.uuid,
    eventId: EVENT.uuid,
    eventName: type.name,
    occurredAt: OCCURRED,
    data: JSON.stringify(type.example),
  };
  return signedRequest(facts, { secret: hide(SECRET), previous: null }, OCCURRED);
}

/** Returns `DeliveryXServiceEvent` for `X-Service-Event`, as the name among the components. */
function parameterName(header: string): string {
  return `Delivery${header.replaceAll(/(?:^|-)([A-Za-z])/g, (_match, letter: string) => letter.toUpperCase())}`;
}

function sampleOf(types: readonly EventType[]): EventType {
  const [sample] = types;
  if (sample === undefined) throw new Error("the catalog has no event");
  return sample;
}

function dataName(event: string): string {
  return `${pascal(event)}Data`;
}

function pascal(name: string): string {
  return name.replaceAll(/(?:^|[._])([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

function knownId(id: string): ParsedId {
  const parsed = parseId(id);
  if (parsed === undefined) throw new Error(`${id} is not an id`);
  return parsed;
}

function moment(at: string): Instant {
  const parsed = parseRfc3339(at);
  if (parsed === undefined) throw new Error(`${at} is not a time`);
  return parsed;
}
