import type { FastifyRequest } from "fastify";
import { memberText, sendText } from "../../access/access.ts";
import { ServiceError, t } from "../../lib/lib.ts";
import { callerOf, live, readers, route, writers } from "../../accounts/accounts.ts";
import type { App, Scope } from "../../accounts/accounts.ts";
import { EVENT_NAME_MAX_LENGTH, isEventName } from "../catalogue/catalogue.ts";
import type { EventTypes } from "./event-types.ts";
import * as shapes from "./event-types.schemas.ts";
import type { SetMember, SetOutcome, TypeSet } from "./type-set.ts";
import type { TypeInput } from "./type-state.ts";

const COMPATIBLE =
  "Within a version, a schema may get optional members, looser limits, more values of an `enum` and other annotations. Anything else could refuse data that was valid or drop what receivers rely on, and is refused with 409 `schema_incompatible`: make a new version instead.";

export interface EventTypeRoutesDeps extends EventTypes {
  /** Writes a whole set of types, all or nothing. */
  put(scope: Scope, set: TypeSet): Promise<SetOutcome>;
}

export function eventTypeRoutes(app: App, types: EventTypeRoutesDeps): void {
  readRoutes(app, types);
  writeRoutes(app, types);
  setRoute(app, types);
  versionRoutes(app, types);
}

function readRoutes(app: App, types: EventTypes): void {
  route(app, "GET /v1/event-types", {
    config: { operation: "event_types.list", tenants: true, callers: readers },
    operationId: "listEventTypes",
    summary: "List event types",
    description: "Returns the canonical events, the system events, and your own types.",
    querystring: shapes.TypeListQuery,
    response: { 200: shapes.TypeListView },
    handler: async (request, reply) => await sendText(reply, await types.list(callerOf(request).scope, request.query)),
  });

  route(app, "GET /v1/event-types/:name", {
    config: { operation: "event_types.get", tenants: true, callers: readers },
    operationId: "getEventType",
    summary: "Show an event type",
    description: "Returns the schema, examples, the subscribers that would react to the event now, and its last data.",
    params: shapes.NameParams,
    response: { 200: shapes.TypeDetail },
    handler: async (request, reply) =>
      await sendText(reply, await types.get(callerOf(request).scope, request.params.name)),
  });
}

function writeRoutes(app: App, types: EventTypes): void {
  route(app, "POST /v1/event-types", {
    config: { operation: "event_types.create", callers: live(writers), audit: "event", errors: ["conflict"] },
    operationId: "createEventType",
    summary: "Create an event type",
    description:
      "Both environments share event types. If a type of this name was archived, the new type continues its version numbers.",
    body: shapes.TypeBody,
    response: { 201: shapes.TypeView },
    handler: async (request, reply) => {
      const { name } = request.body;
      assertName(name);
      return await sendText(reply, await types.create(callerOf(request).scope, name, inputOf(request)));
    },
  });

  route(app, "PATCH /v1/event-types/:name", {
    config: {
      operation: "event_types.update",
      callers: live(writers),
      audit: "event",
      errors: ["conflict", "schema_incompatible"],
    },
    operationId: "updateEventType",
    summary: "Change an event type",
    description: `Only the members in the request change. Of canonical types, only \`enforcement\` and \`visibility\` can be changed. ${COMPATIBLE}`,
    params: shapes.NameParams,
    body: shapes.TypePatch,
    response: { 200: shapes.TypeView },
    handler: async (request, reply) =>
      await sendText(reply, await types.change(callerOf(request).scope, request.params.name, inputOf(request))),
  });

  route(app, "DELETE /v1/event-types/:name", {
    config: { operation: "event_types.archive", callers: live(writers), audit: "event", errors: ["conflict"] },
    operationId: "archiveEventType",
    summary: "Archive an event type",
    description:
      "Events of this name can still be fired. They have no version, and their data is not compared with a schema.",
    params: shapes.NameParams,
    response: { 204: t.Null() },
    handler: async (request) => {
      await types.archive(callerOf(request).scope, request.params.name);
    },
  });
}

function setRoute(app: App, types: EventTypeRoutesDeps): void {
  route(app, "PUT /v1/event-types", {
    config: {
      operation: "event_types.put",
      callers: live(writers),
      does: ["event_types.create", "event_types.update", "event_types.versions.create", "event_types.archive"],
      audit: "event",
      errors: ["conflict", "schema_incompatible"],
    },
    operationId: "putEventTypes",
    summary: "Write a whole set of event types",
    description: `For definitions that are kept in files. All types are written, or none. Members that a type leaves out stay as they are. ${COMPATIBLE}`,
    body: shapes.SetBody,
    response: { 200: shapes.SetView },
    handler: async (request) => {
      const { types: members, prune = false, dry_run: dryRun = false } = request.body;
      const set = members.map(({ schema: _schema, examples: _examples, ...rest }, at): SetMember => {
        const textOf = (member: string): string | undefined => request.scanned?.slice(["types", at, member]);
        return { ...rest, schema: textOf("schema"), examples: textOf("examples") };
      });
      return await types.put(callerOf(request).scope, { types: set, prune, dryRun });
    },
  });
}

function versionRoutes(app: App, types: EventTypes): void {
  route(app, "GET /v1/event-types/:name/versions", {
    config: { operation: "event_types.versions.list", callers: readers },
    operationId: "listEventTypeVersions",
    summary: "List the versions of an event type",
    description: "Newest first. The list of a canonical or system event is empty: it always has version 1.",
    params: shapes.NameParams,
    querystring: shapes.VersionListQuery,
    response: { 200: shapes.VersionListView },
    handler: async (request, reply) =>
      await sendText(reply, await types.versions(callerOf(request).scope, request.params.name, request.query)),
  });

  route(app, "POST /v1/event-types/:name/versions", {
    config: { operation: "event_types.versions.create", callers: live(writers), audit: "event", errors: ["conflict"] },
    operationId: "createEventTypeVersion",
    summary: "Make a new version of an event type",
    description:
      "The new version is the current one: events have it unless `version` names an earlier one. Its schema need not be compatible. Earlier versions no longer change. Endpoints with `event_versions` get only the events of their version.",
    params: shapes.NameParams,
    body: shapes.VersionBody,
    response: { 201: shapes.VersionView },
    handler: async (request, reply) => {
      const { scope } = callerOf(request);
      return await sendText(reply, await types.addVersion(scope, request.params.name, inputOf(request)));
    },
  });
}

interface TypeRequest extends Pick<FastifyRequest, "scanned"> {
  readonly body: Omit<TypeInput, "schema" | "examples"> & {
    readonly name?: string;
    schema?: unknown;
    examples?: unknown;
  };
}

/** Takes the schema and the examples from the body as they were written. */
function inputOf(request: TypeRequest): TypeInput {
  const { name: _name, schema: _schema, examples: _examples, ...rest } = request.body;
  return { ...rest, schema: memberText(request, "schema"), examples: memberText(request, "examples") };
}

function assertName(name: string): void {
  if (isEventName(name)) return;
  const message = `must be letters, digits and _ . : - (at most ${EVENT_NAME_MAX_LENGTH}), begin with a letter or digit, and have no doubled or trailing dot`;
  throw new ServiceError("validation_failed", { errors: [{ pointer: "/name", code: "event_name", message }] });
}
