import type { DescribedType } from "../../events/events.ts";
import { createPauses, systemClock } from "../../lib/lib.ts";
import { webhookSchemas } from "./openapi-webhooks.ts";
import { openApi31 } from "./openapi31.ts";

const ENVELOPE = "WebhookMessage";

/**
 * Returns a description of the events that endpoints receive, in AsyncAPI 3.0: one channel for each event type. It is written type by
 * type, and other work of the process goes on between them: a workspace can have a thousand large ones.
 */
export async function asyncApiText(types: Iterable<DescribedType>, version: string): Promise<string> {
  const { webhooks: _none, openapi: _version, ...envelope } = openApi31(webhookSchemas([])) as Record<string, unknown>;
  const parts = { channels: [] as string[], operations: [] as string[], messages: [] as string[] };
  const schemas = Object.entries(envelope).map(([name, schema]) => member(name, schema));
  const keys = createKeys();
  const pauses = createPauses(systemClock);
  for (const type of types) {
    const key = keys(type.name);
    parts.channels.push(member(key, channelOf(type, key)));
    parts.operations.push(member(key, operationOf(type, key)));
    parts.messages.push(member(key, messageOf(type, key)));
    schemas.push(member(key, relocated(type.schema, `#/components/schemas/${key}`)));
    if (pauses.isDue()) await pauses.pause();
  }
  const head = {
    asyncapi: "3.0.0",
    info: {
      title: "Junction events",
      version,
      description: "The events that webhook endpoints receive as signed HTTP requests, one message for each delivery.",
    },
    defaultContentType: "application/json",
  };
  const components = `{"messages":{${parts.messages.join(",")}},"schemas":{${schemas.join(",")}}}`;
  return `${JSON.stringify(head).slice(0, -1)},"channels":{${parts.channels.join(",")}},"operations":{${parts.operations.join(",")}},"components":${components}}`;
}

function member(name: string, value: unknown): string {
  return `${JSON.stringify(name)}:${JSON.stringify(value)}`;
}

function channelOf(type: DescribedType, key: string): object {
  return {
    title: type.title === "" ? type.name : type.title,
    description: "The URL of a webhook endpoint that subscribes to the event.",
    messages: { [key]: { $ref: `#/components/messages/${key}` } },
  };
}

function operationOf(type: DescribedType, key: string): object {
  return {
    action: "send",
    title: `Deliver ${type.name}`,
    channel: { $ref: `#/channels/${key}` },
    messages: [{ $ref: `#/channels/${key}/messages/${key}` }],
  };
}

function messageOf({ name, title, description, version, deprecated, examples }: DescribedType, key: string): object {
  return {
    name,
    title: title === "" ? name : title,
    ...(description === "" ? {} : { description }),
    contentType: "application/json",
    "x-version": version,
    ...(deprecated ? { "x-deprecated": true } : {}),
    payload: {
      allOf: [
        { $ref: `#/components/schemas/${ENVELOPE}` },
        {
          type: "object",
          properties: { event: { const: name }, type: { const: name }, data: { $ref: `#/components/schemas/${key}` } },
        },
      ],
    },
    "x-data-examples": examples,
  };
}

/** Returns a function that names the parts of the document, where only letters, digits and _ are possible. Equal names are numbered. */
function createKeys(): (name: string) => string {
  const taken = new Set([ENVELOPE]);
  return (name) => {
    const base = name.replaceAll(/[^A-Za-z0-9]/g, "_");
    let key = base;
    for (let number = 2; taken.has(key); number += 1) key = `${base}_${number}`;
    taken.add(key);
    return key;
  };
}

/** Members of a schema whose values are data. */
const DATA = new Set(["const", "default", "enum", "examples"]);

/** The schemas of AsyncAPI are those of an older draft, which calls them `definitions`. */
const DEFINITIONS = "definitions";

/** Returns a schema whose references within itself lead to its place in the document. */
function relocated(schema: unknown, place: string): unknown {
  if (Array.isArray(schema)) return schema.map((one) => relocated(one, place));
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]: [string, unknown]) => {
      if (name === "$ref" && typeof value === "string")
        return [name, place + value.slice(1).replaceAll("/$defs/", `/${DEFINITIONS}/`)];
      if (name === "$defs") return [DEFINITIONS, relocated(value, place)];
      return [name, DATA.has(name) ? value : relocated(value, place)];
    }),
  );
}
