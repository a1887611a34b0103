import type { Inbound } from "./generator.ts";
import type { Service } from "./service.ts";

/** A key for the API of a service, and the receiver that endpoints and actions name. */
export interface Caller {
  readonly service: Service;
  readonly receiverPort: number;
  readonly key: string;
}

export type Source = Pick<Inbound, "target" | "secret" | "listed">;

export interface SourceOptions {
  /** `required` means that each event is about a contact. It is the default. */
  readonly contact?: "none" | "required";
  /** The events of a request, as a list; without it, a request is one event. */
  readonly listed?: number;
}

export interface EndpointOptions {
  /** Path of the receiver's URL, without a slash. */
  readonly path: string;
  /** The receiver's scheme, name and port. Default: plain HTTP on the loopback. */
  readonly origin?: string;
  /** The tenant whose events the endpoint gets. Without it, it gets those of all. */
  readonly tenant?: string;
  readonly events: readonly string[];
  readonly maxInFlight?: number;
}

export async function createRule(
  { service, key, receiverPort }: Caller,
  event: string,
  isCalling: boolean,
): Promise<void> {
  const url = `http://127.0.0.1:${receiverPort}/called`;
  await call(service, key, "/v1/rules", {
    name: `Calls on ${event}`,
    on: [event],
    when: { all: [{ field: "event", op: isCalling ? "eq" : "ne", value: event }] },
    then: [{ type: "http", method: "POST", url, body: { sent: "${$.data.sent_us}" } }],
    // The maximum that a rule allows.
    max_runs_per_minute: 6000,
  });
}

export async function createEndpoint(
  { service, key, receiverPort }: Caller,
  { path, origin = `http://127.0.0.1:${receiverPort}`, events, tenant, maxInFlight }: EndpointOptions,
): Promise<string> {
  const url = `${origin}/${path}`;
  const made = await call<{ id: string }>(service, key, "/v1/webhook-endpoints", {
    url,
    events,
    ...(tenant === undefined ? {} : { tenant }),
    ...(maxInFlight === undefined ? {} : { max_in_flight: maxInFlight }),
  });
  return made.id;
}

export async function createSource(
  { service, key }: Caller,
  event: string,
  { contact = "required", listed }: SourceOptions = {},
): Promise<Source> {
  const { url, secret } = await call<{ url: string; secret: string }>(service, key, "/v1/inbound-endpoints", {
    contact,
    ...(listed === undefined ? {} : { each: "$" }),
    ...(contact === "none" ? {} : { contact_email_path: "$.email" }),
    event_type_path: "$.type",
    idempotency_key_path: "$.id",
    contact_name_path: "$.name",
    value_path: "$.amount",
    summary_path: "$.summary",
    score: { default: 1 },
    event_name: event,
  });
  return { target: url.slice(new URL(url).origin.length), secret, ...(listed === undefined ? {} : { listed }) };
}

export async function createAction({ service, key, receiverPort }: Caller): Promise<string> {
  const contract = {
    key: "bench.refund",
    label: "Refund an order",
    surface: ["api"],
    roles: ["owner", "developer"],
    requires_confirmation: true,
    params: { order: { type: "string" }, amount: { type: "int" }, reason: { type: "string", max: 500 } },
    endpoint: `http://127.0.0.1:${receiverPort}/action`,
    audit: true,
  };
  return (await call<{ key: string }>(service, key, "/v1/action-contracts", contract)).key;
}

export async function call<Answer>(service: Service, key: string, path: string, body: object): Promise<Answer> {
  const answer = await fetch(`http://127.0.0.1:${service.port}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`POST ${path} was answered ${answer.status}: ${await answer.text()}`);
  return (answer.status === 204 ? null : await answer.json()) as Answer;
}
