import { errorCatalogue, errorCodes, problemOf, ServiceError } from "../../lib/lib.ts";
import type { ErrorCode, RefusalDetails } from "../../lib/lib.ts";
import { API_VERSIONS } from "../answers/lifecycle.ts";
import { answerHeaders, writeHeaders } from "./openapi-parts.ts";
import type { DocumentedRoute } from "./openapi-routes.ts";
import type { Schema } from "./openapi-schema.ts";

/**
 * Errors that belong to a trait of a route. The trait's name is part of the response's name, so that a response with
 * other codes has another name.
 */
interface Trait {
  readonly name: string;
  has(route: DocumentedRoute): boolean;
  readonly codes: readonly ErrorCode[];
}

/** Errors that are reported before any operation is found. */
const BEFORE_ALL: readonly ErrorCode[] = ["route_not_found", "method_not_allowed"];

const EVERY_ROLE = 6;

const TRAITS: readonly Trait[] = [
  {
    name: "General",
    has: ({ config }) => config.switchboard !== undefined && config.wording === undefined,
    codes: errorCodes.filter((code) => !BEFORE_ALL.includes(code)),
  },
  { name: "", has: () => true, codes: ["bad_request", "version_unknown", "internal_error", "service_unavailable"] },
  {
    name: "",
    has: ({ config }) => config.checked !== undefined || config.wording !== undefined,
    codes: [
      ...errorCodes.filter(
        (code) => /^(credentials|key|session|signature|timestamp)_/.test(code) && statusOf(code) === 401,
      ),
      "workspace_mismatch",
      "environment_mismatch",
      "tenant_mismatch",
      "action_blocked",
      "scope_missing",
      "ip_not_allowed",
      "rate_limited",
      "too_many_auth_failures",
    ],
  },
  { name: "Role", has: ({ config }) => isLimitedByRole(config), codes: ["role_not_allowed"] },
  {
    name: "Write",
    has: ({ config }) => isWrite(config) && config.wording === undefined,
    codes: ["key_read_only", "idempotency_key_invalid", "idempotency_in_progress", "idempotency_key_reused"],
  },
  {
    name: "Csrf",
    has: ({ config, method }) => config.checked !== undefined && method !== "get",
    codes: ["csrf_token_invalid"],
  },
  {
    name: "Query",
    has: (route) => route.config.checked !== undefined || queryOf(route).length > 0,
    codes: ["query_invalid"],
  },
  { name: "Cursor", has: (route) => queryOf(route).includes("cursor"), codes: ["cursor_invalid"] },
  { name: "", has: ({ method }) => method !== "get", codes: ["payload_too_large"] },
  {
    name: "Json",
    has: ({ method, config }) => method !== "get" && config.rawBody !== true,
    codes: ["malformed_json", "unsupported_media_type"],
  },
  {
    name: "Body",
    has: ({ config, method, schema }) =>
      (schema.body !== undefined && config.wording === undefined) || (config.checked !== undefined && method !== "get"),
    codes: ["validation_failed"],
  },
  {
    name: "",
    has: ({ path, config }) => config.checked !== undefined && path.includes("{"),
    codes: ["not_found"],
  },
];

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: "The request is malformed.",
  401: "The credential is missing, invalid, revoked or expired, or the request's signature is invalid.",
  403: "The caller is not allowed to do this.",
  404: "Object not found.",
  409: "The current state does not allow this operation.",
  413: "The body is too large.",
  415: "The body is not `application/json`, or has a `Content-Encoding`.",
  422: "Some values are not valid.",
  429: "A limit is exceeded. `Retry-After` is the number of seconds to wait.",
  500: "The service failed. The error is logged under `request_id`.",
  503: "The service is temporarily unavailable. Try again.",
};

/** A response in the form of the contract. */
export interface AnswerPart {
  readonly description: string;
  readonly headers: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, object>>;
}

/** The refusals of an operation with one status. */
export interface ProblemAnswer {
  readonly status: number;
  /** The name among the components. Equal responses have equal names. */
  readonly name: string;
  readonly response: AnswerPart;
  readonly schema: Schema;
}

/** Returns one response for each refusal status of the operation, with exactly its codes. */
export function problemResponses(route: DocumentedRoute): ProblemAnswer[] {
  /** The trait that each code belongs to. */
  const traits = new Map<ErrorCode, string>();
  for (const { name, has, codes } of TRAITS)
    if (has(route)) for (const code of codes) if (!traits.has(code)) traits.set(code, name);
  for (const code of route.config.errors ?? []) if (!traits.has(code)) traits.set(code, pascal(code));
  return [...Map.groupBy(traits, ([code]) => statusOf(code))].map(([status, entries]) => {
    const codes = entries.map(([code]) => code);
    const name = `Problem${status}${[...new Set(entries.map(([, trait]) => trait))].join("")}`;
    return { status, name, response: problemResponse(name, status, codes), schema: problemSchema(codes) };
  });
}

/** Returns an example of each error, and the page that explains it. */
export function problemExamples(): Record<string, object> {
  return Object.fromEntries(
    errorCodes.map((code) => [code, { summary: errorCatalogue[code].title, value: problem(code) }]),
  );
}

function problemSchema(codes: readonly ErrorCode[]): Schema {
  return {
    allOf: [
      { $ref: "#/components/schemas/Problem" },
      { type: "object", required: ["code"], properties: { code: { type: "string", enum: codes } } },
    ],
  };
}

function problemResponse(name: string, status: number, codes: readonly ErrorCode[]): AnswerPart {
  const examples = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
  const waits = codes.some((code) => errorCatalogue[code].retryable && status !== 500);
  return {
    description: `${DESCRIPTIONS[status] ?? "Refused."} Codes: ${codes.map((code) => `\`${code}\``).join(", ")}.`,
    headers: {
      ...answerHeaders,
      ...(/Write|General/.test(name) ? writeHeaders : {}),
      ...(codes.includes("credentials_missing")
        ? { "WWW-Authenticate": { $ref: "#/components/headers/WWW-Authenticate" } }
        : {}),
      ...(waits ? { "Retry-After": { $ref: "#/components/headers/Retry-After" } } : {}),
    },
    content: { "application/problem+json": { schema: { $ref: `#/components/schemas/${name}` }, examples } },
  };
}

function problem(code: ErrorCode): object {
  return problemOf(new ServiceError(code, EXAMPLE_DETAILS[code] ?? {}), {
    baseUrl: "https://junction.example.com",
    instance: "/v1/events/fire",
    requestId: "req_0000000001m7w4q17jeay9df1b7sqp908g",
  });
}

const EXAMPLE_DETAILS: Readonly<Partial<Record<ErrorCode, RefusalDetails>>> = {
  validation_failed: { errors: [{ pointer: "/event", code: "required", message: "is required" }] },
  url_blocked: { extra: { reason: "private" } },
  version_unknown: { extra: { known_versions: API_VERSIONS } },
  timestamp_out_of_range: { extra: { server_time: 1_795_262_400 } },
};

/** Returns true for an operation that is safe to repeat only with an idempotency key, and for the route that stands for every operation. */
export function isWrite({ checked, switchboard }: DocumentedRoute["config"]): boolean {
  return checked === undefined ? switchboard !== undefined : checked.access === "write";
}

function isLimitedByRole({ checked }: DocumentedRoute["config"]): boolean {
  return checked !== undefined && (checked.roles.length < EVERY_ROLE || checked.peopleOnly);
}

function queryOf({ schema: { querystring = {} } }: DocumentedRoute): string[] {
  return Object.keys(querystring.properties ?? {});
}

function statusOf(code: ErrorCode): number {
  return errorCatalogue[code].status;
}

function pascal(code: string): string {
  return code.replaceAll(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
