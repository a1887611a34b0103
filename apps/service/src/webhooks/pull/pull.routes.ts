import type { FastifyReply } from "fastify";
import { ServiceError, t } from "../../lib/lib.ts";
import { idempotencyRefOf, markTenant, sendText, sessionOf } from "../../access/access.ts";
import type { AccessChecks } from "../../access/access.ts";
import { callerOf, operators, readers, route } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import type { Endpoints } from "../endpoints/endpoints.ts";
import * as shapes from "./pull.schemas.ts";
import type { Pulls } from "./pulls.ts";

const EndpointParams = t.Object({ id: t.WireId("ep") });
const DOES_COMMIT = ["webhooks.commit"];
/** A pull and a commit can be repeated as they are, so their responses are not stored. */
const PULLING = { tenants: true, callers: operators, ownIdempotency: true } as const;

const PULL = "webhooks.pull";

export function pullRoutes(
  app: App,
  { pulls, endpoints, accessChecks }: RouteDeps & { readonly accessChecks: Pick<AccessChecks, "recheck"> },
): void {
  route(app, "POST /v1/webhook-endpoints/:id/pull", {
    config: {
      ...PULLING,
      operation: PULL,
      limit: PULL,
      waits: true,
      errors: ["consumer_busy", "conflict"],
    },
    operationId: "pullMessages",
    summary: "Pull the next messages of an endpoint",
    description:
      "For endpoints of kind `pull`. Leases the next messages to the consumer, in the order of their offsets. While the lease runs, other pulls of the consumer are refused with 409 `consumer_busy`; the same call with the same `Idempotency-Key` gets the lease again. Other consumers are not affected. A response has at most 8 MiB of bodies, but at least one message. With `wait_seconds`, the call waits for a message. `body` and `headers` are those of a request to a webhook endpoint, so that its signature can be verified.",
    params: EndpointParams,
    body: shapes.PullBody,
    response: { 200: shapes.PulledView },
    handler: async (request, reply) => {
      const caller = callerOf(request);
      const standing = { caller, session: sessionOf(request), operation: PULL };
      const pulled = await pulls.pull(caller.scope, request.params.id, request.body, {
        key: `${caller.key.lineageId} ${idempotencyRefOf(request).key}`,
        signal: goneSignal(reply),
        recheck: async () => await accessChecks.recheck(standing),
      });
      return await sendText(reply, JSON.stringify(pulled));
    },
  });

  positionRoutes(app, pulls);
  seekRoute(app, { pulls, endpoints });
  consumerRoutes(app, { pulls, endpoints });
}

/** Returns a signal that is aborted if the client closes the connection before the response. */
function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once("close", () => {
    if (!raw.writableFinished) gone.abort(new ServiceError("service_unavailable", { internal: "the client has gone" }));
  });
  return gone.signal;
}

function positionRoutes(app: App, pulls: Pulls): void {
  route(app, "POST /v1/webhook-endpoints/:id/commit", {
    config: { ...PULLING, operation: "webhooks.commit", limit: "webhooks.commit", errors: ["lease_lost", "conflict"] },
    operationId: "commitMessages",
    summary: "Commit pulled messages",
    description:
      "Moves the consumer behind `offset`, by default behind the last message of the lease, which then ends. A smaller offset keeps the lease for the rest, and extends it. A commit after the end of the lease counts unless another pull has leased the messages since. A repeated commit changes nothing.",
    params: EndpointParams,
    body: shapes.CommitBody,
    response: { 204: t.Null() },
    handler: async (request) => {
      await pulls.commit(callerOf(request).scope, request.params.id, request.body);
    },
  });

  route(app, "POST /v1/webhook-endpoints/:id/release", {
    config: {
      ...PULLING,
      operation: "webhooks.release",
      limit: "webhooks.commit",
      does: DOES_COMMIT,
      errors: ["lease_lost", "conflict"],
    },
    operationId: "releaseMessages",
    summary: "Release a lease",
    description: "Ends the lease. Messages that were not committed are pulled again.",
    params: EndpointParams,
    body: shapes.ReleaseBody,
    response: { 204: t.Null() },
    handler: async (request) => {
      await pulls.release(callerOf(request).scope, request.params.id, request.body);
    },
  });
}

interface RouteDeps {
  readonly pulls: Pulls;
  readonly endpoints: Pick<Endpoints, "get">;
}

function seekRoute(app: App, { pulls, endpoints }: RouteDeps): void {
  route(app, "POST /v1/webhook-endpoints/:id/seek", {
    config: {
      ...PULLING,
      operation: "webhooks.seek",
      limit: "webhooks.commit",
      does: DOES_COMMIT,
      audit: "endpoint",
      errors: ["conflict"],
    },
    operationId: "seekConsumer",
    summary: "Move a consumer",
    description: "Moves the consumer to an offset, a time, the oldest message or the end. Its lease ends.",
    params: EndpointParams,
    body: shapes.SeekBody,
    response: { 204: t.Null() },
    handler: async (request) => {
      await markTenant(endpoints, request, request.params.id);
      await pulls.seek(callerOf(request).scope, request.params.id, request.body);
    },
  });
}

function consumerRoutes(app: App, { pulls, endpoints }: RouteDeps): void {
  route(app, "GET /v1/webhook-endpoints/:id/consumers", {
    config: { operation: "webhooks.consumers.list", tenants: true, callers: readers },
    operationId: "listConsumers",
    summary: "List the consumers of an endpoint",
    description: "In the order of their names, with their positions. A consumer is created by its first pull.",
    params: EndpointParams,
    querystring: shapes.ConsumerQuery,
    response: { 200: shapes.ConsumerList },
    handler: async (request) => await pulls.consumers(callerOf(request).scope, request.params.id, request.query),
  });

  route(app, "DELETE /v1/webhook-endpoints/:id/consumers/:consumer", {
    config: {
      operation: "webhooks.consumers.delete",
      tenants: true,
      callers: operators,
      audit: "endpoint",
      errors: ["conflict"],
    },
    operationId: "deleteConsumer",
    summary: "Delete a consumer",
    description: "Its position is forgotten, and its lease is lost. Messages are kept for other consumers.",
    params: shapes.ConsumerParams,
    response: { 204: t.Null() },
    handler: async (request) => {
      await markTenant(endpoints, request, request.params.id);
      await pulls.forget(callerOf(request).scope, request.params.id, request.params.consumer);
    },
  });
}
