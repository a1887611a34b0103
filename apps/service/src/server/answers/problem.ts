import {
  isPassing,
  pointerOf,
  pointerWithoutCredentials,
  ServiceError,
  TENANT_ADVICE,
  TENANT_PATTERN,
  TooExpensiveError,
} from "../../lib/lib.ts";
import type { ErrorCode, Violation } from "../../lib/lib.ts";

interface FrameworkError {
  readonly code?: string;
  readonly statusCode?: number;
  readonly validation?: readonly AjvFault[];
  readonly validationContext?: string;
  readonly message: string;
}

interface AjvFault {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly message?: string;
  readonly params: Record<string, unknown>;
  /** The schema of the body or the query, for an unknown member of it. */
  readonly parentSchema?: { readonly properties?: Readonly<Record<string, unknown>> };
}

/** Framework errors that are a caller's mistake, by the framework's code. */
const FRAMEWORK: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: "payload_too_large",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "unsupported_media_type",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "bad_request",
  FST_ERR_BAD_URL: "bad_request",
  FST_ERR_MAX_PARAM_LENGTH: "not_found",
};

/** Returns any thrown value as a refusal of the catalog. */
export function serviceErrorOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const thrown: FrameworkError = error instanceof Error ? error : { message: String(error) };
  if (thrown.validation !== undefined) return invalid(thrown.validation, thrown.validationContext ?? "body");
  if (error instanceof TooExpensiveError) return new ServiceError("validation_failed", { errors: [TOO_EXPENSIVE] });
  if (isPassing(error)) {
    return new ServiceError("service_unavailable", { internal: thrown.message, headers: { "Retry-After": "1" } });
  }
  return new ServiceError(codeOf(thrown), { internal: thrown.message });
}

const TOO_EXPENSIVE: Violation = {
  pointer: "",
  code: "too_expensive",
  message: "takes too long with this data: use fewer or simpler conditions and templates, or less data",
};

function codeOf({ code, statusCode = 500 }: FrameworkError): ErrorCode {
  const known = code === undefined ? undefined : FRAMEWORK[code];
  return known ?? (Math.floor(statusCode / 100) === 4 ? "bad_request" : "internal_error");
}

function invalid(faults: readonly AjvFault[], context: string): ServiceError {
  const violations = ofOwnKind(faults).map((fault) => violationOf(fault, context));
  if (context === "body") return new ServiceError("validation_failed", { errors: violations });
  if (context === "params") return new ServiceError("not_found");
  return new ServiceError("query_invalid", {
    errors: violations,
    detail: `${violations.map((one) => `${pointerWithoutCredentials(one.pointer).slice(1)} ${one.message}`).join("; ")}.`,
  });
}

/** A value that can be of several kinds has the faults of the kind that it is of, or one for all if it is of none. */
function ofOwnKind(faults: readonly AjvFault[]): readonly AjvFault[] {
  const choices = faults.filter(({ keyword }) => keyword === "anyOf");
  return choices.reduce((left: readonly AjvFault[], choice) => {
    const isBelow = ({ schemaPath, instancePath }: AjvFault): boolean =>
      schemaPath.startsWith(`${choice.schemaPath}/`) && instancePath.startsWith(choice.instancePath);
    const isOfOtherKind = ({ keyword, instancePath }: AjvFault): boolean =>
      keyword === "type" && instancePath === choice.instancePath;
    const below = left.filter(isBelow);
    const own = below.filter((fault) => !isOfOtherKind(fault));
    const others = left.filter((fault) => fault !== choice && !isBelow(fault));
    const kinds = [...new Set(below.map(({ params }) => String(params["type"])))].join(" or ");
    return [...others, ...(own.length > 0 ? own : [{ ...choice, message: `must be ${kinds}` }])];
  }, faults);
}

function violationOf(
  { instancePath, keyword, message = "is not valid", params, parentSchema }: AjvFault,
  context: string,
): Violation {
  const at = context === "body" ? instancePath : `/query${instancePath}`;
  const member = (param: string): string => at + pointerOf([String(params[param])]);
  if (keyword === "required") return { pointer: member("missingProperty"), code: "required", message: "is required" };
  if (keyword === "additionalProperties")
    return { pointer: member("additionalProperty"), code: "unknown", message: unknownText(parentSchema?.properties) };
  if (keyword === "enum")
    return { pointer: at, code: "enum", message: `must be one of ${String(params["allowedValues"])}` };
  if (params["pattern"] === TENANT_PATTERN) return { pointer: at, code: keyword, message: TENANT_ADVICE };
  return { pointer: at, code: keyword, message };
}

const MOST_NAMED = 30;

/** Names the members that there are: someone who comes from another product knows them by other names. */
function unknownText(properties: Readonly<Record<string, unknown>> = {}): string {
  const names = Object.keys(properties);
  if (names.length === 0) return "is not a known member";
  const rest = names.length > MOST_NAMED ? ", and others" : "";
  return `is not a known member; known are ${names.slice(0, MOST_NAMED).join(", ")}${rest}`;
}
