import type { ErrorCode } from "../../../../sdks/node/src/generated/types.ts";

export type { ErrorCode };

/** One field that the service refused; `pointer` is a JSON pointer into the body. */
export interface FieldProblem {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ErrorCode;
  readonly detail?: string;
  readonly request_id?: string;
  readonly retryable?: boolean;
  readonly errors?: readonly FieldProblem[];
  readonly [member: string]: unknown;
}

/** A response that is not a success: the service's problem+json, or a substitute where none came. */
export class ApiProblem extends Error {
  readonly code: ErrorCode | "network" | "unreadable";
  /** HTTP status; 0 without a response. */
  readonly status: number;
  readonly requestId: string | null;
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | null;
  readonly title: string;
  readonly fields: readonly FieldProblem[];
  /** The whole document, for members other than the common ones (`reason`, `did_you_mean`, …). */
  readonly document: ProblemDocument | null;

  constructor(facts: ProblemFacts) {
    super(facts.detail ?? facts.title);
    this.name = "ApiProblem";
    this.code = facts.code;
    this.status = facts.status;
    this.requestId = facts.requestId;
    this.retryable = facts.retryable;
    this.retryAfterSeconds = facts.retryAfterSeconds ?? null;
    this.title = facts.title;
    this.fields = facts.fields ?? [];
    this.document = facts.document ?? null;
  }
}

interface ProblemFacts {
  readonly code: ApiProblem["code"];
  readonly status: number;
  readonly title: string;
  readonly detail?: string | undefined;
  readonly requestId: string | null;
  readonly retryable: boolean;
  readonly retryAfterSeconds?: number | null;
  readonly fields?: readonly FieldProblem[];
  readonly document?: ProblemDocument | null;
}

const ENDED: ReadonlySet<string> = new Set(["session_invalid", "credentials_missing"]);
const FORBIDDEN: ReadonlySet<string> = new Set(["role_not_allowed", "scope_missing", "permission_required"]);

export function isProblem(error: unknown, ...codes: readonly ApiProblem["code"][]): error is ApiProblem {
  return error instanceof ApiProblem && (codes.length === 0 || codes.includes(error.code));
}

/** Returns true if the session has ended. */
export function isSessionEnd(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 401 && ENDED.has(error.code);
}

/** Returns true if the person is signed in and lacks permission. */
export function isForbidden(error: unknown): error is ApiProblem {
  return error instanceof ApiProblem && error.status === 403 && FORBIDDEN.has(error.code);
}

/** Reads a response that is not a success. */
export async function problemFrom(response: Response): Promise<ApiProblem> {
  const document = documentFrom(response, await response.text().catch(() => ""));
  const facts = {
    status: response.status,
    requestId: response.headers.get("x-service-request-id"),
    retryAfterSeconds: positiveNumber(response.headers.get("retry-after")),
  };
  if (document === null) {
    const title = `The service responded with status ${response.status}.`;
    return new ApiProblem({ ...facts, code: "unreadable", title, retryable: response.status >= 500 });
  }
  const { code, title, detail, errors = [], retryable = false } = document;
  return new ApiProblem({ ...facts, code, title, detail, retryable, fields: errors, document });
}

/** Returns the problem of a missing response: the service or the network is down. */
export function networkProblem(): ApiProblem {
  return new ApiProblem({
    code: "network",
    status: 0,
    title: "The service could not be reached.",
    detail: "Check the connection, then try again.",
    requestId: null,
    retryable: true,
  });
}

function positiveNumber(text: string | null): number | null {
  const number = Number(text ?? "");
  return number > 0 ? number : null;
}

function documentFrom(response: Response, text: string): ProblemDocument | null {
  if (!(response.headers.get("content-type") ?? "").includes("json")) return null;
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null && "code" in parsed ? (parsed as ProblemDocument) : null;
  } catch {
    return null;
  }
}
