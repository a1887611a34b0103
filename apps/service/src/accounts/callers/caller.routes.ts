import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type {
  FastifyBaseLogger,
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from "fastify";
import { ServiceError } from "../../lib/lib.ts";
import { t } from "../../lib/lib.ts";
import type { ErrorCode, Id, Uuid } from "../../lib/lib.ts";
import { anyMember, inSession } from "./callers.ts";
import type { RouteCallers } from "./callers.ts";
import type { ApiKey, SessionInfo } from "./api-key.ts";
import type { Scope } from "./scope.ts";

/** The HTTP application that modules mount their routes on. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** The credential of a request, and the scope of its data. */
export interface Caller {
  readonly key: ApiKey;
  readonly scope: Scope;
}

/** A caller whose request passed the access checks. */
export interface Admitted extends Caller {
  readonly ip: string;
  readonly requestId: Id;
}

/** The kind of object that an audited operation changes or reads. */
export type AuditSubject =
  | "account"
  | "session"
  | "member"
  | "key"
  | "secret"
  | "endpoint"
  | "issue"
  | "event"
  | "source"
  | "tenant"
  | "rule"
  | "workflow"
  | "connector"
  | "contract"
  | "channel"
  | "contact"
  | "workspace"
  | "configuration"
  | "audit";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The dotted name of the route's operation. A route without one is public. */
    operation?: string;
    /** The callers of the route. A route of the API does not mount without them. */
    callers: RouteCallers;
    /** The name of the limit, which operations can share. Default: the management limit. */
    limit?: string;
    /**
     * Keys of tenants may call the route. Its work sees only the rows of the tenant, and it must write no row of another one.
     * All other routes refuse such keys.
     */
    tenants?: boolean;
    /** Set to `read` for a POST that changes nothing. */
    access?: "read" | "write";
    /** Error codes of the route, in addition to those of all routes of its kind. The published contract lists them. */
    errors?: readonly ErrorCode[];
    /** The handler itself writes the idempotency record, with its effect. */
    ownIdempotency?: boolean;
    /** The effect is not in our database and cannot be rolled back; its idempotency record is written afterwards. */
    remote?: boolean;
    /**
     * Writes each successful call to the audit log: in the transaction of its effect, or for a read before the
     * response.
     */
    audit?: AuditSubject;
    /** Operations that have the same effect. A key whose list blocks one of them is refused this one too. */
    does?: readonly string[];
    /** Operations whose effect a member of the body has, by the member's name. */
    doesWith?: Readonly<Record<string, string>>;
    /** Operations that a credential of the portal must also be able to call if the body has the member, by the member's name. */
    needsWith?: Readonly<Record<string, string>>;
    /** The body's `action` names an action contract, whose conditions the access checks include. */
    runsContract?: boolean;
    /**
     * Allows access to rows outside the caller's workspace and environment, such as people and sessions. The database
     * refuses it otherwise.
     */
    allWorkspaces?: boolean;
  }
  interface FastifyRequest {
    /** Set once the request has passed the access checks. */
    admitted: Admitted | null;
    /** The tenant that an audited operation is about, if neither the request nor the response names it. */
    aboutTenant: string | null;
  }
}

/** The schemas of a route's responses, by status. The first status is sent unless the handler sets another one. */
type Responses = Readonly<Record<number, t.TSchema>>;

type Answer<Response extends Responses> = t.Static<Extract<Response[keyof Response], t.TSchema>>;

/** The result of a handler: the response, the reply if it has sent that itself, or nothing for a 204. */
type Handled<Response extends Responses> = Response extends { 204: t.TSchema } ? void : Answer<Response> | FastifyReply;

/** A route of the API: who may call it, how the published contract describes it, and what it does. */
interface Route<
  Config extends FastifyContextConfig,
  Params extends t.TSchema,
  Query extends t.TSchema,
  Body extends t.TSchema,
  Response extends Responses,
> {
  readonly config: Config;
  readonly bodyLimit?: number;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly params?: Params;
  readonly querystring?: Query;
  readonly body?: Body;
  readonly produces?: readonly string[];
  readonly response: Response;
  handler(
    request: FastifyRequest<{ Params: t.Static<Params>; Querystring: t.Static<Query>; Body: t.Static<Body> }> & {
      readonly routeOptions: { readonly config: Config };
    },
    reply: FastifyReply,
  ): Handled<Response> | Promise<Handled<Response>>;
}

/** Mounts a route under its method and path, such as `GET /v1/rules/:id`. */
export function route<
  const Config extends FastifyContextConfig,
  Response extends Responses,
  Params extends t.TSchema = t.TSchema,
  Query extends t.TSchema = t.TSchema,
  Body extends t.TSchema = t.TSchema,
>(
  app: App,
  name: string,
  { config, bodyLimit, handler, ...contract }: Route<Config, Params, Query, Body, Response>,
): void {
  const [method = "", url = ""] = name.split(" ");
  const status = Number(Object.keys(contract.response)[0]);
  const schema: FastifySchema = contract;
  app.route({
    method,
    url,
    config,
    schema,
    ...(bodyLimit !== undefined && { bodyLimit }),
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      reply.code(status);
      const answer = await handler(request as Parameters<typeof handler>[0], reply);
      return status === 204 ? null : answer;
    },
  });
}

/** Returns the caller of a request. Only routes with an operation have one. */
export function callerOf(request: FastifyRequest): Admitted {
  if (request.admitted === null) throw new Error("a route without an operation asked for its caller");
  return request.admitted;
}

/** The configuration of routes for a person's own account, for any role. */
export const OWN = { allWorkspaces: true, callers: inSession(anyMember) } as const;

interface SessionCaller extends Caller {
  readonly session: SessionInfo;
  readonly memberId: Uuid;
}

/**
 * Returns the caller's session. Throws for API keys, because a person's account can be changed only in a console
 * session.
 */
export function sessionCaller(request: FastifyRequest): SessionCaller {
  const caller = callerOf(request);
  const { session, memberId } = caller.key;
  if (session === undefined || memberId === null) {
    throw new ServiceError("surface_not_allowed", {
      detail: "This operation requires a console session, not an API key.",
    });
  }
  return { ...caller, session, memberId };
}

/** The origin of a sign-in. */
export interface Origin {
  readonly ip: string;
  readonly userAgent: string;
  /** The Cookie header. A session that it names ends when the new one starts. */
  readonly cookie?: string | undefined;
  readonly requestId?: string;
}

export function originOf(request: FastifyRequest): Origin {
  const userAgent = request.headers["user-agent"] ?? "";
  return { ip: request.ip, userAgent, cookie: request.headers.cookie, requestId: request.id };
}
