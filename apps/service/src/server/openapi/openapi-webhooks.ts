import { signedRequest } from "../../webhooks/deliveries/deliver.ts";
import { isSystem } from "../../events/events.ts";
import type { EventType } from "../../events/events.ts";
import { hide, parseId, parseRfc3339 } from "../../lib/lib.ts";
import type { Instant, ParsedId } from "../../lib/lib.ts";
import { downSchema } from "./openapi-schema.ts";
import type { Schema } from "./openapi-schema.ts";

/** For the examples only: whoever checks them can compute their signatures. */
const SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
const EVENT = known("evt_7k2m9qaw01m7w4q17jeay9df1b7sqp908g");
const DELIVERY = known("dlv_7k2m9qaw01m7w4rx14e06t8399tk5zr5ty");
const WORKSPACE = known("ws_7k2m9qaw01m7w4trtpe5fa2qm9ja6ten3h");
const OCCURRED = moment("2026-11-21T13:00:00.000Z");

const HEADERS: Readonly<Record<string, string>> = {
  "X-Service-Signature": "Hex HMAC-SHA256 of the raw body, keyed by the secret's text.",
  "X-Service-Timestamp": "Unix seconds of this attempt.",
  "X-Service-Event": "The event's name.",
  "X-Service-Delivery": "The delivery's id: the same on every attempt.",
  "X-Service-Idempotency": "A nonce of the delivery: the same on every attempt.",
  "webhook-id": "The delivery's id (Standard Webhooks).",
  "webhook-timestamp": "Unix seconds of this attempt (Standard Webhooks).",
  "webhook-signature":
    "`v1,` and base64 HMAC-SHA256 of `id.timestamp.body`, keyed by the decoded secret (Standard Webhooks); two, with a blank between, while a regenerated secret overlaps.",
};

const ANSWERS = {
  "2XX": { description: "Delivered." },
  "410": { description: "Parked at once, and the endpoint is deactivated." },
  default: {
    description: "A failed attempt, and so is no answer within 15 seconds: retried on the ladder, then parked.",
  },
};

const text = (description: string, more: object = {}): object => ({ type: "string", description, ...more });

/** What every delivery's body has. */
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
    event: text("The event's name."),
    delivery_id: text("The delivery's id."),
    idempotency_key: text("The same on every attempt of the delivery."),
    id: text("The event's id."),
    type: text("The event's name again, where Standard Webhooks looks for it."),
    timestamp: text("When the event happened.", { format: "date-time" }),
    scope_kind: text("Whose event it is.", { enum: ["workspace"] }),
    scope_key: text("The workspace's id."),
    environment: text("Where it happened.", { enum: ["live", "sandbox"] }),
    data: { type: "object", additionalProperties: true, description: "As it was fired, byte for byte." },
    signature: text("`sha256=` and the hex HMAC-SHA256 of the body with this value empty."),
  },
};

/** The schemas of what receivers get: the envelope, and the data of each event in the catalogue. */
export function webhookSchemas(types: readonly EventType[]): Record<string, Schema> {
  const data = types.map((type) => [
    dataName(type.name),
    downSchema({ description: type.description, ...type.schema }),
  ]);
  return { WebhookMessage: ENVELOPE, ...(Object.fromEntries(data) as Record<string, Schema>) };
}

/** The headers of every delivery. */
export function webhookParameters(types: readonly EventType[]): Record<string, object> {
  const { headers } = message(sampleOf(types));
  return Object.fromEntries(
    Object.entries(HEADERS).map(([name, description]) => [
      parameterName(name),
      { name, in: "header", required: true, description, schema: { type: "string" }, example: headers[name] },
    ]),
  );
}

/** Every event that an endpoint can subscribe to, as the request it gets. */
export function webhooks(types: readonly EventType[]): Record<string, object> {
  return Object.fromEntries(types.map((type) => [type.name, { post: delivery(type) }]));
}

/** What making an endpoint leads to. */
export function deliveryCallback(types: readonly EventType[]): object {
  const sample = sampleOf(types);
  const { operationId: _none, ...request } = delivery(sample);
  const description = "Each event that the endpoint takes is posted to its URL; `x-webhooks` has every event's `data`.";
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

/** `X-Service-Event` is `DeliveryXServiceEvent` among the components. */
function parameterName(header: string): string {
  return `Delivery${header.replaceAll(/(?:^|-)([A-Za-z])/g, (_match, letter: string) => letter.toUpperCase())}`;
}

function sampleOf(types: readonly EventType[]): EventType {
  const [sample] = types;
  if (sample === undefined) throw new Error("the catalogue has no event");
  return sample;
}

function dataName(event: string): string {
  return `${pascal(event)}Data`;
}

function pascal(name: string): string {
  return name.replaceAll(/(?:^|[._])([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

function known(id: string): ParsedId {
  const parsed = parseId(id);
  if (parsed === undefined) throw new Error(`${id} is no id`);
  return parsed;
}

function moment(at: string): Instant {
  const parsed = parseRfc3339(at);
  if (parsed === undefined) throw new Error(`${at} is no time`);
  return parsed;
}
