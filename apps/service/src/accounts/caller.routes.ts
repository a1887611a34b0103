import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyRequest,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from "fastify";
import type { ErrorCode, Id } from "../lib/lib.ts";
import type { RouteCallers } from "./callers.ts";
import type { ApiKey } from "./api-keys/api-key.ts";
import type { Scope } from "./workspaces/scope.ts";

/** The HTTP application as modules mount their routes on it. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** Who asks, and whose data it is about. */
export interface Caller {
  readonly key: ApiKey;
  readonly scope: Scope;
}

/** A caller whose request the gate let in. */
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
  | "source"
  | "rule"
  | "workflow"
  | "connector"
  | "contract"
  | "contact"
  | "workspace"
  | "audit";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The dotted name of what the route does; a route without one is public. */
    operation?: string;
    /** Without it a route of the API does not mount. */
    callers: RouteCallers;
    /** Operations with one limit share it; without a name it is management's. */
    limit?: string;
    /** For a POST that changes nothing. */
    access?: "read" | "write";
    /** What the route refuses beside what every route of its kind can; the published contract names them. */
    errors?: readonly ErrorCode[];
    /** The handler writes the idempotency record itself, with its effect. */
    ownIdempotency?: boolean;
    /** The effect is not in our database and cannot be undone with a transaction; its idempotency record follows it. */
    remote?: boolean;
    /** Each call that succeeds is a row of the audit, in the transaction of its effect; of a read, in one of its own before it is answered. */
    audit?: AuditSubject;
    /** Operations whose effect it has: a key whose list blocks one of them is refused this too. */
    does?: readonly string[];
    /** The same for a member of the body: the operation whose effect it has. */
    doesWith?: Readonly<Record<string, string>>;
    /** Its body's `action` names a contract, which says more of who may call it: the gate asks about that too. */
    runsContract?: boolean;
    /** It reaches beyond the caller's workspace and environment: to people, sessions, other workspaces. Without it the database refuses that. */
    allWorkspaces?: boolean;
  }
  interface FastifyRequest {
    /** Set once the gate has let the request in. */
    admitted: Admitted | null;
  }
}

/** Who asks. Only routes with an operation have a caller. */
export function callerOf(request: FastifyRequest): Admitted {
  if (request.admitted === null) throw new Error("a route without an operation asked for its caller");
  return request.admitted;
}
