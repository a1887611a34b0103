import { idempotencyRefOf, sendAnswer, sendText } from "../../access/access.ts";
import type { OwnWriteRequest } from "../../access/access.ts";
import type { FastifyRequest } from "fastify";
import { happenedAt, ServiceError, t, wireId } from "../../lib/lib.ts";
import type { Clock, Violation } from "../../lib/lib.ts";
import { readTraceparent } from "../../platform/telemetry/telemetry.ts";
import { callerOf, readers, scopeFields, scopeOfWorkspace, writers, route } from "../../accounts/accounts.ts";
import type { App, Scope } from "../../accounts/accounts.ts";
import { firingFault, isSystem } from "../catalogue/catalogue.ts";
import { deliverAtOf } from "../scheduled/scheduled.ts";
import type { Events } from "./events.ts";
import type { StoredEvent } from "../event/stored-event.ts";
import {
  BatchBody,
  EventDetail,
  EventListQuery,
  EventListView,
  FireBody,
  FiredBatchView,
  FiredEventView,
  RefireBody,
} from "../event/event.schemas.ts";
import type { EventDraft, EventLabels } from "../event/event.ts";
import { labelsView } from "../event/labels.ts";

export interface EventRoutesDeps {
  readonly clock: Clock;
  readonly events: Events;
  /** Returns the stages and the deliveries of one event. */
  reactionsOf(scope: Scope, event: StoredEvent): Promise<{ stages: readonly object[]; deliveries: readonly object[] }>;
}

const IdParams = t.Object({ id: t.WireId("evt") });

type FireInput = t.Static<typeof FireBody>;

const NO_REACTIONS = { stages: [], deliveries: [] };

export function eventRoutes(app: App, deps: EventRoutesDeps): void {
  const { events } = deps;
  route(app, "POST /v1/events/fire", {
    config: {
      operation: "events.fire",
      tenants: true,
      callers: writers,
      limit: "events.fire",
      ownIdempotency: true,
      sheds: true,
      errors: ["event_data_invalid", "conflict"],
    },
    operationId: "fireEvent",
    summary: "Fire an event",
    description:
      "The response means that the event and its deliveries are committed. Receivers get `data` byte for byte. If the event type enforces its schema, data that does not match is refused with 422 `event_data_invalid`, or noted in `schema_errors`. With `tenant`, it goes to the endpoints of that tenant and to those without a tenant. The key of a tenant fires events of that tenant only, and sees only the deliveries to its endpoints. With `deliver_at`, the event is stored now and fired then. A `traceparent` header (W3C) is stored and sent to receivers.",
    body: FireBody,
    response: { 202: FiredEventView },
    handler: async (request, reply) => {
      const drafts = draftsOf(deps, request, [request.body], []);
      return await sendAnswer(reply, await events.fire(drafts, { ...callOf(request), batch: false }));
    },
  });

  route(app, "POST /v1/events/batch", {
    config: {
      operation: "events.batch",
      tenants: true,
      callers: writers,
      does: ["events.fire"],
      limit: "events.fire",
      ownIdempotency: true,
      sheds: true,
      errors: ["event_data_invalid", "conflict"],
    },
    operationId: "fireEvents",
    summary: "Fire up to 500 events, all or none",
    description:
      "Runs in one transaction, and counts as one call against the rate limit. One invalid event refuses the whole batch.",
    body: BatchBody,
    response: { 202: FiredBatchView },
    handler: async (request, reply) => {
      const drafts = draftsOf(deps, request, request.body.events, ["events"]);
      return await sendAnswer(reply, await events.fire(drafts, { ...callOf(request), batch: true }));
    },
  });

  eventReadRoutes(app, deps);
  refireRoute(app, deps);
  cancelRoute(app, deps);
}

function eventReadRoutes(app: App, deps: EventRoutesDeps): void {
  const { events } = deps;
  route(app, "GET /v1/events", {
    config: { operation: "events.list", tenants: true, callers: readers },
    operationId: "listEvents",
    summary: "List events",
    description: "Newest first, with filters.",
    querystring: EventListQuery,
    response: { 200: EventListView },
    handler: async (request, reply) => {
      const { scope } = callerOf(request);
      const page = await events.list(scope, request.query);
      const rest = JSON.stringify({ has_more: page.has_more, next_cursor: page.next_cursor });
      const data = page.data.map((event) => eventText(scope, event, {})).join(",");
      return await sendText(reply, `{"object":"list","data":[${data}],${rest.slice(1)}`);
    },
  });

  route(app, "GET /v1/events/:id", {
    config: { operation: "events.get", tenants: true, callers: readers },
    operationId: "getEvent",
    summary: "Show an event",
    description: "Returns the event with the stages of its dispatch and its deliveries.",
    params: IdParams,
    response: { 200: EventDetail },
    handler: async (request, reply) => {
      const { scope } = callerOf(request);
      const event = await events.get(scope, request.params.id);
      const reactions = event.status === "accepted" ? await deps.reactionsOf(scope, event) : NO_REACTIONS;
      // The stages are the workspace's own.
      const shown = (scope.tenant ?? null) === null ? reactions : { ...reactions, stages: [] };
      return await sendText(reply, eventText(scope, event, shown));
    },
  });
}

function cancelRoute(app: App, { events }: EventRoutesDeps): void {
  route(app, "DELETE /v1/events/:id/schedule", {
    config: {
      operation: "events.cancel",
      tenants: true,
      callers: writers,
      audit: "event",
      errors: ["event_already_fired"],
    },
    operationId: "cancelEvent",
    summary: "Cancel a scheduled event",
    description:
      "The event is not fired. It stays visible with the status `cancelled`. Has no effect if it was cancelled before.",
    params: IdParams,
    response: { 204: t.Null() },
    handler: async (request) => {
      const { scope } = callerOf(request);
      await events.cancel(scope, request.params.id);
      request.aboutTenant = (await events.get(scope, request.params.id)).row.tenant;
    },
  });
}

function refireRoute(app: App, { events }: EventRoutesDeps): void {
  route(app, "POST /v1/events/:id/refire", {
    config: {
      operation: "events.refire",
      tenants: true,
      callers: writers,
      does: ["events.fire"],
      limit: "events.fire",
      ownIdempotency: true,
      doesWith: { endpoint_id: "webhook_endpoints.backfill" },
      errors: ["conflict", "event_data_invalid"],
    },
    operationId: "refireEvent",
    summary: "Fire an event again, or send it to one endpoint",
    description:
      "Creates a new event with the same name, data and tenant, and with a new id. System events are refused: replay their deliveries instead. With `endpoint_id`, no event is created: the endpoint gets a new delivery of this event, regardless of its other deliveries and of its filter. The endpoint must be active and subscribe to the event, and the event must be of its tenant.",
    params: IdParams,
    body: RefireBody,
    response: { 202: FiredEventView },
    handler: async (request, reply) => {
      const { scope } = callerOf(request);
      const { row, status, labels } = await events.get(scope, request.params.id);
      if (status !== "accepted") {
        throw new ServiceError("conflict", {
          detail: `The event is ${status}: only one that was fired can be fired again.`,
        });
      }
      const endpointId = request.body?.endpoint_id;
      if (endpointId !== undefined) {
        const sent = { eventId: row.id, endpointId };
        return await sendAnswer(reply, await events.sendTo(scope, sent, idempotencyRefOf(request)));
      }
      if (isSystem(row.name)) {
        throw new ServiceError("conflict", {
          detail: `${row.name} is a system event, which only the service can fire. Replay its deliveries, or send it to one endpoint.`,
        });
      }
      const { name, data, subject, tenant } = row;
      const drafts = [
        {
          scope: scopeOfWorkspace(scope),
          name,
          data,
          subject,
          tenant,
          traceparent: traceparentOf(request),
          firedBy: callerOf(request).key.people,
          // The id is that of the first event alone.
          labels: labels == null ? null : { ...labels, uid: null },
        },
      ];
      return await sendAnswer(reply, await events.fire(drafts, { ...callOf(request), batch: false }));
    },
  });
}

function callOf(request: FastifyRequest & OwnWriteRequest) {
  return { ref: idempotencyRefOf(request), tenant: callerOf(request).scope.tenant };
}

/** Cuts each event's `data` out of the scanned body as source text. All invalid names are reported together. */
function draftsOf(
  { clock }: EventRoutesDeps,
  request: FastifyRequest,
  bodies: readonly FireInput[],
  path: readonly string[],
): EventDraft[] {
  const violations = bodies.flatMap((body, at) => nameFault(body.event, pointerTo(path, at)));
  if (violations.length > 0) throw new ServiceError("validation_failed", { errors: violations });
  const { scope: caller, key } = callerOf(request);
  // The reactions to an event are the workspace's, also if a tenant's key fires it.
  const scope = scopeOfWorkspace(caller);
  const traceparent = traceparentOf(request);
  return bodies.map((body, at) => ({
    scope,
    name: body.event,
    data: dataOf(request, path, at),
    occurredAt: happenedAt(body.occurred_at, `${pointerTo(path, at)}/occurred_at`, clock.now()),
    subject: body.subject,
    tenant: caller.tenant ?? body.tenant ?? null,
    traceparent,
    typeVersion: body.version ?? null,
    deliverAt: deliverAtOf(body.deliver_at, `${pointerTo(path, at)}/deliver_at`, clock.now()),
    labels: labelsOf(body),
    firedBy: key.people,
  }));
}

function labelsOf({ uid, channels, metadata }: FireInput): EventLabels | null {
  if (uid === undefined && channels === undefined && metadata === undefined) return null;
  const text = metadata === undefined ? null : JSON.stringify(metadata);
  return {
    uid: uid ?? null,
    channels: channels === undefined ? null : [...new Set(channels)],
    tags: null,
    metadata: text,
  };
}

function traceparentOf({ headers }: FastifyRequest): string | null {
  return readTraceparent(headers["traceparent"]);
}

function dataOf({ scanned }: FastifyRequest, path: readonly string[], at: number): string {
  const text = scanned?.slice([...path, ...(path.length === 0 ? [] : [at]), "data"]);
  if (text === undefined) throw new Error("a validated body has no data");
  return text;
}

function nameFault(name: string, pointer: string): Violation[] {
  const fault = firingFault(name);
  return fault === undefined ? [] : [{ pointer: `${pointer}/event`, ...fault }];
}

function pointerTo(path: readonly string[], at: number): string {
  return path.length === 0 ? "" : `/${path.join("/")}/${at}`;
}

/** Returns JSON text with `data` spliced in as received. The members of `more` precede it. */
function eventText(scope: Scope, event: StoredEvent, more: object): string {
  const { row } = event;
  const head = {
    id: wireId("evt", row.tag, row.id),
    object: "event",
    event: row.name,
    canonical: row.canonical,
    occurred_at: event.occurredAt,
    subject: row.subject,
    tenant: row.tenant,
    status: event.status,
    ...(event.deliverAt === undefined ? {} : { deliver_at: event.deliverAt }),
    version: row.type_version,
    ...labelsView(event.labels ?? null),
    ...scopeFields(scope),
    created_at: event.createdAt,
    ...more,
  };
  return `${JSON.stringify(head).slice(0, -1)},"schema_errors":${row.schema_errors ?? "[]"},"data":${row.data}}`;
}
