import { errorCatalogue, errorCodes, problemOf, ServiceError } from "../../lib/lib.ts";
import type { ErrorCode, RefusalDetails } from "../../lib/lib.ts";
import { API_VERSIONS } from "../answers/lifecycle.ts";
import type { RouteFacts } from "./openapi-facts.ts";
import { answerHeaders, writeHeaders } from "./openapi-parts.ts";

/** The parts of an operation's request, which decide what can be wrong with it. */
export interface Shape {
  readonly facts: RouteFacts;
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly body: boolean;
}

/**
 * Errors that belong to a trait of a route. The trait's name is part of the response's name, so that a response with
 * other codes has another name.
 */
interface Trait {
  readonly name: string;
  has(shape: Shape): boolean;
  readonly codes: readonly ErrorCode[];
}

/** Errors that are reported before any operation is found. */
const BEFORE_ALL: readonly ErrorCode[] = ["route_not_found", "method_not_allowed"];

const TRAITS: readonly Trait[] = [
  {
    name: "General",
    has: ({ facts }) => facts.switchboard && !facts.ownWords,
    codes: errorCodes.filter((code) => !BEFORE_ALL.includes(code)),
  },
  { name: "", has: () => true, codes: ["bad_request", "version_unknown", "internal_error", "service_unavailable"] },
  {
    name: "",
    has: ({ facts }) => facts.operation !== null || facts.ownWords,
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
  { name: "Role", has: ({ facts }) => facts.limitedByRole, codes: ["role_not_allowed"] },
  {
    name: "Write",
    has: ({ facts }) => facts.writes && !facts.ownWords,
    codes: ["key_read_only", "idempotency_key_invalid", "idempotency_in_progress", "idempotency_key_reused"],
  },
  {
    name: "Csrf",
    has: ({ facts, method }) => facts.operation !== null && method !== "get",
    codes: ["csrf_token_invalid"],
  },
  { name: "Query", has: ({ facts, query }) => facts.operation !== null || query.length > 0, codes: ["query_invalid"] },
  { name: "Cursor", has: ({ query }) => query.includes("cursor"), codes: ["cursor_invalid"] },
  { name: "", has: ({ method }) => method !== "get", codes: ["payload_too_large"] },
  {
    name: "Json",
    has: ({ method, facts }) => method !== "get" && !facts.takesBytes,
    codes: ["malformed_json", "unsupported_media_type"],
  },
  {
    name: "Body",
    has: ({ facts, method, body }) => (body && !facts.ownWords) || (facts.operation !== null && method !== "get"),
    codes: ["validation_failed"],
  },
  {
    name: "",
    has: ({ path, facts }) => facts.operation !== null && path.includes("{"),
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

/** A reference to a response among the components, with its name there. */
export interface ProblemRef {
  readonly $ref: string;
  readonly name: string;
}

/** Responses by name, to which more than one operation refers. */
export interface ProblemParts {
  readonly responses: Map<string, AnswerPart>;
  readonly schemas: Map<string, object>;
}

/** Returns one response for each refusal status of the operation, with exactly its codes. */
export function problemResponses(shape: Shape, parts: ProblemParts): Record<string, ProblemRef> {
  const named = new Map<number, { codes: Set<ErrorCode>; traits: string[] }>();
  const own: Trait[] = shape.facts.errors.map((code) => ({ name: pascal(code), has: () => true, codes: [code] }));
  for (const trait of [...TRAITS.filter((one) => one.has(shape)), ...own]) {
    for (const code of trait.codes) {
      const entry = named.get(statusOf(code)) ?? { codes: new Set(), traits: [] };
      const isNew = !entry.codes.has(code);
      entry.codes.add(code);
      if (isNew && trait.name !== "" && entry.traits.at(-1) !== trait.name) entry.traits.push(trait.name);
      named.set(statusOf(code), entry);
    }
  }
  return Object.fromEntries(
    [...named].map(([status, { codes, traits }]) => {
      const name = `Problem${status}${traits.join("")}`;
      parts.schemas.set(name, problemSchema([...codes]));
      parts.responses.set(name, problemResponse(name, status, [...codes]));
      return [String(status), { name, $ref: `#/components/responses/${name}` }];
    }),
  );
}

/** Returns an example of each error, and the page that explains it. */
export function problemExamples(): Record<string, object> {
  return Object.fromEntries(
    errorCodes.map((code) => [code, { summary: errorCatalogue[code].title, value: problem(code) }]),
  );
}

function problemSchema(codes: readonly ErrorCode[]): object {
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

function statusOf(code: ErrorCode): number {
  return errorCatalogue[code].status;
}

function pascal(code: string): string {
  return code.replaceAll(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
