import type { FastifyReply, FastifyRequest } from "fastify";
import { asOperation, operation, withBody } from "../../access/access.ts";
import type { AccessChecks, IdempotencyRef, Operation } from "../../access/access.ts";
import { callerOf, readers, unscoped } from "../../accounts/accounts.ts";
import type { Admitted, App } from "../../accounts/accounts.ts";
import { isRecord, ServiceError } from "../../lib/lib.ts";
import { t } from "../../lib/lib.ts";
import { wording } from "./errors.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The operations of `/v1` that a route stands for. Its caller needs their rights. */
export interface Doing {
  /** Undefined for what any caller may do. */
  readonly operation: string | undefined;
  /** Operations that it has the effect of too: a list that blocks one of them blocks it. */
  readonly also?: readonly string[];
  /** The same, if the body has the member. */
  readonly alsoWith?: Readonly<Record<string, string>>;
  /** Operations that a credential of the portal needs too. */
  readonly needs?: readonly string[];
  readonly needsWith?: Readonly<Record<string, string>>;
  readonly body?: t.TSchema;
  /** It writes its idempotency record itself. */
  readonly ownIdempotency?: boolean;
}

/** One call, with its caller and the values of its path and its query. */
export interface Call<M extends Method = Method> {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly caller: Admitted;
  /** Identifies the call, if it writes. */
  readonly ref: M extends "GET" ? undefined : IdempotencyRef;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
}

/** The body to send as JSON, or its text. Undefined: the handler has answered itself. */
type Answer = object | string | undefined;

export type Route = <M extends Method>(
  place: readonly [method: M | readonly M[], url: string],
  doing: Doing,
  handle: (call: Call<M>) => Promise<Answer>,
) => void;

const READ = "svix.read";
const WRITE = "svix.write";
const ANY: Operation = operation({
  name: READ,
  access: "read",
  callers: unscoped(readers),
  limit: READ,
  tenants: true,
});

/**
 * Returns a function that mounts the routes of the API of Svix. Each is an operation of `/v1`, with its checks, its audit entry and its
 * idempotency, and counts against the limits of this API.
 */
export function createRoutes(app: App, accessChecks: AccessChecks): Route {
  return <M extends Method>(
    [method, url]: Parameters<Route>[0],
    doing: Doing,
    handle: (call: Call<M>) => Promise<Answer>,
  ) => {
    app.route({
      method: typeof method === "string" ? method : [...method],
      url: `/api/v1${url}`,
      config: {
        callers: "by operation",
        keysOnly: true,
        wording,
        switchboard: {
          keyless: () => false,
          asked: (scanned) => ({
            operation: withBody(operationOf(accessChecks, method, doing), scanned?.value),
            contract: null,
            ids: () => [],
          }),
        },
      },
      schema: { hide: true, ...(doing.body === undefined ? {} : { body: doing.body }) },
      handler: asOperation(accessChecks, async (request, reply) => {
        const { params, query } = request;
        const call = {
          request,
          reply,
          caller: callerOf(request),
          ref: request.access.ref as Call<M>["ref"],
          path: params as Readonly<Record<string, string>>,
          query: isRecord(query) ? query : {},
        };
        return await send(reply, await handle(call));
      }),
    });
  };
}

async function send(reply: FastifyReply, answer: Answer): Promise<unknown> {
  if (answer === undefined || reply.sent) return reply;
  reply.type("application/json; charset=utf-8");
  return await reply.send(typeof answer === "string" ? answer : JSON.stringify(answer));
}

/** Returns the operation of `/v1` as it is called through this API. */
function operationOf(accessChecks: AccessChecks, method: Method | readonly Method[], doing: Doing): Operation {
  const { operation: name, also = [], alsoWith = {}, needs = [], needsWith = {}, ownIdempotency = false } = doing;
  if (name === undefined) return ANY;
  const base = accessChecks.operations.get(name);
  // A process that has no such routes has none of these either.
  if (base === undefined) throw new ServiceError("route_not_found");
  const through = method === "GET" ? READ : WRITE;
  return {
    ...base,
    through,
    limit: through,
    ownIdempotency,
    does: [...base.does, ...also],
    doesWith: alsoWith,
    needs,
    needsWith,
  };
}

/** Returns the body of a call. Its schema has checked it. */
export function bodyOf({ request }: Call): Readonly<Record<string, unknown>> {
  return isRecord(request.body) ? request.body : {};
}

/** Returns true if a member of the query is `true`. */
export function isSet({ query }: Call, name: string): boolean {
  return query[name] === "true";
}
