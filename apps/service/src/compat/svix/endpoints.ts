import { hide, ServiceError } from "../../lib/lib.ts";
import { t } from "../../lib/lib.ts";
import type { Hidden } from "../../lib/lib.ts";
import { secretFaults } from "../../webhooks/webhooks.ts";
import type { EndpointInput, EndpointView } from "../../webhooks/webhooks.ts";
import { applicationOf } from "./applications.ts";
import type { Application } from "./applications.ts";
import type { SvixDeps } from "./deps.ts";
import type { EndpointIn } from "./shapes.schemas.ts";
import type { Call } from "./surface.routes.ts";

/** An endpoint of an application, as a path names both. */
export interface FoundEndpoint {
  readonly application: Application;
  readonly endpoint: EndpointView;
}

/** Throws 404 if the application has no such endpoint. */
export async function endpointOf(deps: SvixDeps, { caller: { scope }, path }: Call): Promise<FoundEndpoint> {
  const application = await applicationOf(deps, scope, path["app"] ?? "");
  const endpoint = await deps.deliver.endpoints.named(scope, application.tenant, path["endpoint"] ?? "");
  if (endpoint === undefined)
    throw new ServiceError("not_found", { detail: "The application has no endpoint with this id or uid." });
  return { application, endpoint };
}

/** The id that the endpoint had elsewhere stays its id. */
export function endpointId({ id, external_ref: ref }: EndpointView): string {
  return ref ?? id;
}

export function endpointView(endpoint: EndpointView): object {
  const { url, description, metadata, uid, channels, active, events, rate_limit_per_second: rate } = endpoint;
  const types = events.length === 1 && events[0] === "*" ? null : events;
  return {
    id: endpointId(endpoint),
    uid,
    // One that is pulled has none, and the libraries read a text.
    url: url ?? "",
    description,
    metadata,
    // Both generations of the libraries read one of each pair.
    eventTypes: types,
    filterTypes: types,
    throttleRate: rate,
    rateLimit: rate,
    channels: channels.length === 0 ? null : channels,
    disabled: !active,
    version: 1,
    createdAt: endpoint.created_at,
    updatedAt: endpoint.created_at,
  };
}

export type EndpointFields = Partial<t.Static<typeof EndpointIn>>;

/** Returns the members of an endpoint that a body gives. */
export function inputOf(body: EndpointFields): Partial<EndpointInput> {
  const { url, description, uid, metadata, channels, disabled } = body;
  const types = eitherOf(body.eventTypes, body.filterTypes);
  return givenOf<Partial<EndpointInput>>({
    url,
    description,
    uid,
    metadata,
    channels: channels === null ? [] : channels,
    active: disabled === undefined ? undefined : !disabled,
    events: types === null || types?.length === 0 ? ["*"] : types,
    rate_limit_per_second: eitherOf(body.throttleRate, body.rateLimit),
  });
}

/** Returns the member of one generation of the libraries, or that of the other one. */
export function eitherOf<T>(one: T | undefined, other: T | undefined): T | undefined {
  return one === undefined ? other : one;
}

/** Returns the members that have a value. */
export function givenOf<T extends object>(members: { readonly [Name in keyof T]?: T[Name] | undefined }): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}

/** A member that a whole endpoint does not name has its default. */
const DEFAULTS = {
  description: "",
  uid: null,
  metadata: {},
  channels: [],
  active: true,
  events: ["*"],
  rate_limit_per_second: null,
};

export function wholeInput(body: EndpointFields): EndpointInput {
  return { ...DEFAULTS, ...inputOf(body), url: body.url ?? "" };
}

/** Returns the secret that a body gives, with its prefix. Throws 422 for one that cannot sign. */
export function secretOf(text: string | null | undefined, pointer: string): Hidden | undefined {
  if (text == null) return undefined;
  const secret = /^wh\w*_/.test(text) ? text : `whsec_${text}`;
  const faults = secretFaults(secret, pointer);
  if (faults.length > 0) throw new ServiceError("validation_failed", { errors: faults });
  return hide(secret);
}

/** Returns the headers that a body gives. A null deletes one. */
export function headersOf(given: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(Object.entries(given).flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}

/** Returns the headers after a change. The values of the others are kept. */
export function changedHeaders(
  { headers }: EndpointView,
  given: Readonly<Record<string, string | null>>,
  deleted: readonly string[],
): Record<string, string> {
  const touched = new Set([...Object.keys(given), ...deleted].map((name) => name.toLowerCase()));
  const kept = Object.entries(headers).filter(([name]) => !touched.has(name.toLowerCase()));
  return { ...Object.fromEntries(kept), ...headersOf(given) };
}
