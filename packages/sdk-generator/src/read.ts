import type { Answer, Api, Body, EventName, Field, Operation, Resource, Type } from "./model.ts";
import { componentName } from "./openapi.ts";
import type { Content, Document, Parameter, PathOperation, Reference, Response, Schema } from "./openapi.ts";
import { byName, createTypes, pascal, unionOf } from "./types.ts";
import type { Types } from "./types.ts";

/** Body fields that every SDK takes as first arguments. The rest of such a body is named and optional. */
const POSITIONAL: Readonly<Record<string, readonly string[]>> = {
  "actions.run": ["action", "parameters"],
  "events.batch": ["events"],
  "events.fire": ["event", "data"],
};

/** Second names of a field, for callers without an SDK. */
const ALIASES: Readonly<Record<string, readonly string[]>> = { "actions.run": ["params"] };

/** Streams never end, and so are not part of a request-and-response SDK. `request()` reaches them. */
const STREAM = "text/event-stream";
const DELIVERY = "WebhookMessage";
const JSON_TYPE = "application/json";

/**
 * Returns the model of the published contract. Accepts any document of its kind. Throws if the document refers to a
 * missing part.
 */
export function readModel(document: Document): Api {
  const types = createTypes(document.components.schemas ?? {});
  const names = operationNames(document);
  const found = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      const name = operation["x-operation"];
      if (name === undefined || isStream(operation)) return [];
      return [readOperation({ document, types, names }, { name, method, path, operation })];
    }),
  );
  const events = readEvents(document, types);
  const delivery = readDelivery(document, types);
  const { types: named, enums, rename } = types.finish();
  const operations = found.map((operation) => renameOperation(operation, rename)).toSorted(byName);
  return {
    version: document.info.version,
    apiVersion: apiVersionOf(document),
    operations,
    resources: resourcesOf(operations, [], document),
    types: named,
    enums,
    delivery,
    events: events.map((event) => ({ ...event, data: rename(event.data) })),
    errors: Object.entries(document["x-errors"] ?? {}).map(([code, row]) => ({
      code,
      status: row.status,
      title: row.title,
      retryable: row.retryable,
    })),
  };
}

interface Context {
  readonly document: Document;
  readonly types: Types;
  readonly names: ReadonlySet<string>;
}

interface Place {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly operation: PathOperation;
}

function readOperation(context: Context, { name, method, path, operation }: Place): Operation {
  const owner = pascal(operation.operationId);
  const parameters = (operation.parameters ?? []).map((one) => parameterOf(context.document, one));
  const query = parameters.filter((one) => one.in === "query");
  const answer = readAnswer(context, owner, operation);
  const fields = query.map((one) => fieldOf(context.types, `${owner}Query`, one));
  return {
    name,
    ...placeOf(name, context.names, method, fields),
    operationId: operation.operationId,
    http: { method: method.toUpperCase(), path },
    summary: operation.summary ?? "",
    description: operation.description ?? "",
    pathParameters: [...path.matchAll(/\{([^}]+)\}/g)].map(([, key = ""]) => pathField(parameters, key)),
    queryParameters: fields,
    body: readBody(context.types, name, owner, operation),
    answer,
    page: method === "get" ? pageOf(context, answer, fields) : null,
    write: parameters.some((one) => one.in === "header" && one.name === "Idempotency-Key"),
    liveOnly: operation["x-environment"] === "live",
  };
}

/**
 * Returns the place of an operation. `webhook_endpoints.secret` becomes `webhook_endpoints.secret.get` if
 * `webhook_endpoints.secret.regenerate` exists.
 */
function placeOf(
  name: string,
  names: ReadonlySet<string>,
  method: string,
  query: readonly Field[],
): { resource: readonly string[]; method: string } {
  const parts = name.split(".");
  const isResource = [...names].some((other) => other.startsWith(`${name}.`));
  if (!isResource) return { resource: parts.slice(0, -1), method: parts.at(-1) ?? name };
  const reading = query.some((field) => field.name === "cursor") ? "list" : "get";
  const verb = method === "get" ? reading : "run";
  return { resource: parts, method: names.has(`${name}.${verb}`) ? `${verb}_all` : verb };
}

function readBody(types: Types, name: string, owner: string, operation: PathOperation): Body | null {
  const schema = operation.requestBody?.content[JSON_TYPE]?.schema;
  if (schema === undefined) return null;
  const type = types.read({ ...schema, nullable: false }, { type: `${owner}Body`, property: "" }, "request");
  const aliases = ALIASES[name] ?? [];
  const fields = types.fields(schema, `${owner}Body`, "request").filter((field) => !aliases.includes(field.name));
  const positional = (POSITIONAL[name] ?? []).map((key) => {
    const field = fields.find((one) => one.name === key);
    if (field === undefined) throw new Error(`${name} has no ${key}, which SDKs take as an argument.`);
    return field;
  });
  return { type, required: operation.requestBody?.required === true, positional, fields };
}

function readAnswer({ document, types }: Context, owner: string, operation: PathOperation): Answer {
  const found = successes(document, operation);
  const [first] = found;
  const status = first?.status ?? 200;
  const bodies = found.flatMap(({ content }) => content[JSON_TYPE] ?? []);
  const byStatus = found.flatMap((one) => {
    const schema = one.content[JSON_TYPE]?.schema;
    if (schema === undefined) return [];
    return [{ status: one.status, type: types.read(schema, { type: `${owner}Answer`, property: "" }, "response") }];
  });
  if (byStatus.length > 0) {
    const type = unionOf(byStatus.map((one) => one.type));
    return { kind: "json", status, type, example: bodies[0]?.example ?? {}, byStatus };
  }
  const mediaType = found.flatMap(({ content }) => Object.keys(content))[0];
  return mediaType === undefined ? { kind: "none", status } : { kind: "text", status, mediaType };
}

function pageOf({ types }: Context, answer: Answer, query: readonly Field[]): Operation["page"] {
  if (answer.kind !== "json" || answer.type.kind !== "ref") return null;
  const fields = types.fields({ $ref: answer.type.name }, "", "response");
  const isList = fields.some(
    ({ name, type }) => name === "object" && type.kind === "constant" && type.value === "list",
  );
  const data = fields.find((field) => field.name === "data");
  if (!isList || data?.type.kind !== "array") return null;
  return { item: data.type.items, cursor: query.some((field) => field.name === "cursor") };
}

function readEvents(document: Document, types: Types): readonly EventName[] {
  return Object.entries(document["x-webhooks"] ?? {}).map(([name, { post }]) => {
    const content = post.requestBody.content[JSON_TYPE];
    const schema = dataSchema(content?.schema) ?? {};
    const example = content?.example as { readonly data?: unknown } | undefined;
    // Callers fire the event, and receivers get it.
    types.read(schema, { type: `${pascal(name)}Data`, property: "" }, "request");
    return {
      name,
      title: post.summary ?? "",
      description: post.description ?? "",
      canonical: post["x-canonical"] === true,
      data: types.read(schema, { type: `${pascal(name)}Data`, property: "" }, "response"),
      example: example?.data ?? {},
    };
  });
}

function readDelivery({ components }: Document, types: Types): Type {
  if (components.schemas?.[DELIVERY] === undefined) return { kind: "map", values: { kind: "unknown" } };
  return types.read({ $ref: DELIVERY }, { type: DELIVERY, property: "" }, "response");
}

function dataSchema(schema: Schema | undefined): Schema | undefined {
  const parts = [...(schema?.allOf ?? []), ...(schema === undefined ? [] : [schema])];
  return parts.flatMap((part) => part.properties?.["data"] ?? [])[0];
}

function resourcesOf(operations: readonly Operation[], path: readonly string[], document: Document): Resource[] {
  const depth = path.length;
  const below = operations.filter(
    ({ resource }) => resource.length > depth && path.every((part, index) => resource[index] === part),
  );
  const names = [...new Set(below.map(({ resource }) => resource[depth] ?? ""))].toSorted();
  return names.map((name) => {
    const here = [...path, name];
    const tag = (document.tags ?? []).find((one) => one.name === here.join("."));
    return {
      name,
      path: here,
      description: tag?.description ?? "",
      operations: operations.filter(({ resource }) => resource.join(".") === here.join(".")),
      children: resourcesOf(operations, here, document),
    };
  });
}

function renameOperation(operation: Operation, rename: (type: Type) => Type): Operation {
  const fields = (all: readonly Field[]): Field[] => all.map((field) => ({ ...field, type: rename(field.type) }));
  const { body, answer, page } = operation;
  return {
    ...operation,
    queryParameters: fields(operation.queryParameters),
    body: body === null ? null : { ...body, positional: fields(body.positional), fields: fields(body.fields) },
    answer: answer.kind === "json" ? renameAnswer(answer, rename) : answer,
    page: page === null ? null : { ...page, item: rename(page.item) },
  };
}

function renameAnswer(answer: Extract<Answer, { kind: "json" }>, rename: (type: Type) => Type): Answer {
  const byStatus = answer.byStatus.map((one) => ({ ...one, type: rename(one.type) }));
  return { ...answer, type: rename(answer.type), byStatus };
}

function fieldOf(types: Types, owner: string, parameter: Parameter): Field {
  const schema = parameter.schema ?? {};
  return {
    name: parameter.name,
    description: parameter.description ?? "",
    type: types.read(schema, { type: owner, property: parameter.name }, "request"),
    required: parameter.required === true,
    ...(schema.default === undefined ? {} : { default: schema.default }),
  };
}

function pathField(parameters: readonly Parameter[], name: string): Field {
  const found = parameters.find((one) => one.in === "path" && one.name === name);
  return { name, description: found?.description ?? "", type: { kind: "string", format: null }, required: true };
}

function operationNames(document: Document): ReadonlySet<string> {
  const all = Object.values(document.paths).flatMap((operations) => Object.values(operations));
  return new Set(all.flatMap((operation) => operation["x-operation"] ?? []));
}

function isStream(operation: PathOperation): boolean {
  return Object.values(operation.responses).some(
    (response) => "content" in response && STREAM in (response.content ?? {}),
  );
}

interface Success {
  readonly status: number;
  readonly content: Content;
}

function successes(document: Document, operation: PathOperation): Success[] {
  return Object.entries(operation.responses)
    .filter(([status]) => status.startsWith("2"))
    .map(([status, response]) => {
      const { content = {} }: Response =
        "$ref" in response ? (document.components.responses?.[componentName(response.$ref)] ?? {}) : response;
      return { status: Number(status), content };
    });
}

function parameterOf(document: Document, parameter: Parameter | Reference): Parameter {
  if (!("$ref" in parameter)) return parameter;
  const found = document.components.parameters?.[componentName(parameter.$ref)];
  if (found === undefined) throw new Error(`The document refers to ${parameter.$ref}, which it does not have.`);
  return found;
}

/** Returns the newest dated version in the document. */
function apiVersionOf(document: Document): string {
  const versions = document.components.parameters?.["ServiceVersion"]?.schema?.enum ?? [];
  return String(versions.toSorted().at(-1) ?? "");
}
