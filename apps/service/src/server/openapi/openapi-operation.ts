import type { Operation } from "../../access/access.ts";
import { eventTypes } from "../../events/events.ts";
import * as parts from "./openapi-parts.ts";
import { isWrite, problemResponses } from "./openapi-problems.ts";
import type { AnswerPart } from "./openapi-problems.ts";
import type { DocumentedRoute } from "./openapi-routes.ts";
import { exampleOf, published } from "./openapi-schema.ts";
import type { Schema } from "./openapi-schema.ts";
import { deliveryCallback } from "./openapi-webhooks.ts";

/** The components that operations share, collected while they are written. */
export interface SharedParts {
  readonly schemas: Map<string, Schema>;
  readonly responses: Map<string, AnswerPart>;
}

const MAKES_ENDPOINT = "webhook_endpoints.create";
const JSON_TYPE = "application/json";
const ANY_BODY = {
  required: false,
  content: { "*/*": { schema: { type: "string", format: "binary" }, example: "anything" } },
};
const SUCCESS: Readonly<Record<string, string>> = {
  default: "The configured response.",
  200: "Success.",
  201: "Created.",
  202: "Accepted: the request is committed and continues in the background.",
  204: "Success, without a body.",
};

/** Returns the operation object of a route. */
export function operationObject(route: DocumentedRoute, shared: SharedParts): object {
  const { tag, config, schema } = route;
  const { checked, deprecated } = config;
  return {
    operationId: schema.operationId,
    summary: schema.summary,
    description: schema.description,
    tags: [tag],
    ...(deprecated === undefined ? {} : { deprecated: true, "x-deprecation": deprecated }),
    security: securityOf(config),
    ...(checked === undefined ? {} : rightsFor(checked)),
    parameters: [
      ...parameters("query", schema.querystring),
      ...parameters("path", schema.params),
      { $ref: "#/components/parameters/ServiceVersion" },
      ...(isWrite(config) ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
    ],
    ...(config.rawBody === true ? { requestBody: ANY_BODY } : {}),
    ...(schema.body === undefined ? {} : { requestBody: requestBody(schema.body, shared) }),
    responses: responses(route, shared),
    ...(checked?.name === MAKES_ENDPOINT ? { callbacks: deliveryCallback(eventTypes) } : {}),
  };
}

/** Returns the credentials of an operation. The General API's switchboard has operations that need no key. */
function securityOf({ checked, switchboard, keysOnly }: DocumentedRoute["config"]): readonly object[] {
  if (keysOnly === true) return parts.SECURITY.filter((one) => !("session" in one));
  if (switchboard !== undefined) return [...parts.SECURITY, {}];
  return checked === undefined ? [] : parts.SECURITY;
}

/** Returns the requirements for a caller in addition to a credential. The console and the docs show them. */
function rightsFor({ name, access, roles, limit, scoped, liveOnly, peopleOnly, does, doesWith }: Operation): object {
  return {
    "x-operation": name,
    "x-access": access,
    "x-roles": roles,
    "x-rate-limit": limit,
    ...(liveOnly ? { "x-environment": "live" } : {}),
    ...(peopleOnly ? { "x-actors": ["user"] } : {}),
    ...(does.length > 0 ? { "x-does": does } : {}),
    ...(Object.keys(doesWith).length > 0 ? { "x-does-with": doesWith } : {}),
    ...(scoped ? { "x-scope": `${name.slice(0, name.indexOf("."))}:${access}` } : {}),
  };
}

function parameters(place: "query" | "path", { properties = {}, required = [] }: Schema = {}): object[] {
  return Object.entries(properties).map(([name, property]) => {
    const { description, example, ...schema } = published(property);
    return {
      name,
      in: place,
      description,
      required: place === "path" || required.includes(name),
      schema,
      example: example ?? exampleOf(property),
    };
  });
}

function requestBody(body: Schema, shared: SharedParts): object {
  // A body that may be null may be omitted as well.
  return { required: body.nullable !== true, content: { [JSON_TYPE]: media(body, shared) } };
}

/** The example is composed of the examples of the parts: `examples` of a whole body are not published. */
function media({ examples: _whole, ...schema }: Schema, { schemas }: SharedParts): object {
  return { schema: published(schema, schemas), example: exampleOf(schema) };
}

/**
 * Returns the responses of an operation. A status that the route uses itself can be a problem as well: then both forms
 * are documented.
 */
function responses(route: DocumentedRoute, shared: SharedParts): Record<string, object> {
  const own = successes(route, shared);
  const problems = problemResponses(route).map(({ status, name, response, schema }) => {
    shared.schemas.set(name, schema);
    const answer = own[status];
    if (answer !== undefined)
      return [
        status,
        { ...answer, headers: response.headers, content: { ...answer.content, ...response.content } },
      ] as const;
    shared.responses.set(name, response);
    return [status, { $ref: `#/components/responses/${name}` }] as const;
  });
  return { ...own, ...Object.fromEntries(problems) };
}

function successes({ schema, config }: DocumentedRoute, shared: SharedParts): Record<string, AnswerPart> {
  const { response = {}, produces = [JSON_TYPE] } = schema;
  const headers = {
    ...parts.answerHeaders,
    ...(isWrite(config) ? parts.writeHeaders : {}),
    ...(config.deprecated === undefined ? {} : parts.deprecationHeaders),
  };
  const answers = Object.entries(response).map(([status, answer]) => {
    const description = answer.description ?? SUCCESS[status] ?? "Success.";
    const content = Object.fromEntries(produces.map((type) => [type, media(answer, shared)]));
    return [status, { description, headers, ...(answer.type === "null" ? {} : { content }) }] as const;
  });
  return Object.fromEntries(answers);
}
