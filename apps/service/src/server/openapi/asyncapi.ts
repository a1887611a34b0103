import type { DescribedType } from "../../events/events.ts";
import { webhookSchemas } from "./openapi-webhooks.ts";
import { openApi31 } from "./openapi31.ts";

const ENVELOPE = "WebhookMessage";

/** Returns a description of the events that endpoints receive, in AsyncAPI 3.0: one channel for each event type. */
export function asyncApiDocument(types: readonly DescribedType[], version: string): object {
  const keys = keysOf(types.map(({ name }) => name));
  const parts = types.map((type, at) => ({ type, key: keys[at] ?? type.name }));
  const { webhooks: _none, openapi: _version, ...envelope } = openApi31(webhookSchemas([])) as Record<string, unknown>;
  return {
    asyncapi: "3.0.0",
    info: {
      title: "Junction events",
      version,
      description: "The events that webhook endpoints receive as signed HTTP requests, one message for each delivery.",
    },
    defaultContentType: "application/json",
    channels: record(parts, ({ type, key }) => ({
      title: type.title === "" ? type.name : type.title,
      description: "The URL of a webhook endpoint that subscribes to the event.",
      messages: { [key]: { $ref: `#/components/messages/${key}` } },
    })),
    operations: record(parts, ({ type, key }) => ({
      action: "send",
      title: `Deliver ${type.name}`,
      channel: { $ref: `#/channels/${key}` },
      messages: [{ $ref: `#/channels/${key}/messages/${key}` }],
    })),
    components: {
      messages: record(parts, ({ type, key }) => messageOf(type, key)),
      schemas: {
        ...envelope,
        ...record(parts, ({ type, key }) => relocated(type.schema, `#/components/schemas/${key}`)),
      },
    },
  };
}

interface Part {
  readonly type: DescribedType;
  readonly key: string;
}

function record(parts: readonly Part[], make: (part: Part) => unknown): Record<string, unknown> {
  return Object.fromEntries(parts.map((part) => [part.key, make(part)]));
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

/** Returns names for the parts of the document, where only letters, digits and _ are possible. Equal names are numbered. */
function keysOf(names: readonly string[]): readonly string[] {
  const taken = new Set([ENVELOPE]);
  return names.map((name) => {
    const base = name.replaceAll(/[^A-Za-z0-9]/g, "_");
    let key = base;
    for (let number = 2; taken.has(key); number += 1) key = `${base}_${number}`;
    taken.add(key);
    return key;
  });
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
