import type { RenderError } from "../../access/access.ts";
import type { ServiceError, Violation } from "../../lib/lib.ts";

/** The names that the members of our objects have in the API of Svix. */
const NAMES: Readonly<Record<string, string>> = {
  events: "eventTypes",
  event: "eventType",
  data: "payload",
  active: "disabled",
  rate_limit_per_second: "throttleRate",
  overlap_seconds: "gracePeriodSeconds",
  deliver_at: "deliverAt",
  event_id: "eventId",
  schema: "schemas",
  from: "since",
  to: "until",
};

/**
 * Words a refusal as Svix does. Its libraries read a 422 as a list of faults, and fail on anything else; every other refusal has a code
 * and a detail. They repeat each 5xx, so a refusal that repeating does not help is none.
 */
export const wording: RenderError = async (_request, refusal) =>
  await Promise.resolve({
    status: refusal.kind.status,
    type: "application/json; charset=utf-8",
    body: JSON.stringify(refusal.kind.status === 422 ? { detail: faultsOf(refusal) } : documentOf(refusal)),
  });

function documentOf(refusal: ServiceError): object {
  return { code: codeOf(refusal), detail: errorText(refusal) };
}

function codeOf({ code, kind, details }: ServiceError): string {
  const own = details.extra?.["svix_code"];
  if (typeof own === "string") return own;
  if (kind.status === 401) return "authentication_failed";
  return code === "route_not_found" ? "not_found" : code;
}

function errorText({ kind, details }: ServiceError): string {
  return details.detail ?? details.errors?.map((one) => `${one.pointer}: ${one.message}`).join("; ") ?? kind.title;
}

function faultsOf(refusal: ServiceError): object[] {
  const { errors = [] } = refusal.details;
  if (errors.length === 0) return [{ loc: placeOf(refusal), msg: errorText(refusal), type: refusal.code }];
  return errors.map((one) => ({ loc: locOf(one), msg: one.message, type: one.code }));
}

function placeOf({ code }: ServiceError): string[] {
  if (code === "url_blocked") return ["body", "url"];
  return code === "idempotency_key_reused" ? ["header", "idempotency-key"] : ["body"];
}

function locOf({ pointer }: Violation): string[] {
  const steps = pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (steps[0] === "query") return steps;
  return ["body", ...steps.map((step, at) => (at === 0 ? (NAMES[step] ?? step) : step))];
}
