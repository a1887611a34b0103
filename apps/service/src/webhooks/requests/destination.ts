import { SECRET_NAME, ServiceError } from "../../lib/lib.ts";
import type { Hidden, Violation } from "../../lib/lib.ts";
import type { Author, Scope } from "../../accounts/accounts.ts";
import { readText } from "../../events/events.ts";
import { AWS_REGION } from "../../platform/brokers/brokers.ts";
import type { BrokerKind } from "../../platform/brokers/brokers.ts";
import type { Net } from "../../platform/outbound-http/outbound-http.ts";
import type { DestinationInput } from "./destination.schemas.ts";
import { addressesOf, secretNameOfDestination } from "./destination-places.ts";
import type { SecretFor } from "./endpoint-auth.ts";

type Member = keyof DestinationInput;

interface Members {
  readonly required: readonly Member[];
  readonly optional: readonly Member[];
  /** The members that are templates. */
  readonly templates: readonly Member[];
}

const AWS: readonly Member[] = ["region", "access_key_id", "secret_ref"];
const MEMBERS: Readonly<Record<BrokerKind, Members>> = {
  kafka: {
    required: ["brokers", "topic"],
    optional: ["tls", "sasl", "partition_key"],
    templates: ["partition_key"],
  },
  rabbitmq: {
    required: ["url", "exchange", "routing_key"],
    optional: ["username", "secret_ref"],
    templates: ["routing_key"],
  },
  nats: {
    required: ["servers", "subject"],
    optional: ["jetstream", "username", "secret_ref"],
    templates: ["subject"],
  },
  sqs: { required: [...AWS, "queue_url"], optional: ["endpoint_url", "partition_key"], templates: ["partition_key"] },
  sns: { required: [...AWS, "topic_arn"], optional: ["endpoint_url", "partition_key"], templates: ["partition_key"] },
  eventbridge: { required: [...AWS, "bus", "source"], optional: ["endpoint_url"], templates: [] },
  s3: {
    required: [...AWS, "bucket"],
    optional: ["endpoint_url", "prefix", "max_items", "max_wait_seconds"],
    templates: ["prefix"],
  },
};

/** The values of members that are not given. */
const DEFAULTS: Readonly<Partial<Record<BrokerKind, DestinationInput>>> = {
  kafka: { tls: true, sasl: null },
  nats: { jetstream: true },
  s3: { prefix: "", max_items: 100, max_wait_seconds: 5 },
};
/** The names with which paths of templates can begin. */
export const TEMPLATE_ROOTS = ["event", "data", "subject", "tenant", "id"] as const;
const SECRET_FORM = new RegExp(SECRET_NAME);

export interface DestinationDeps {
  readonly net: Pick<Net, "vet">;
  readonly secretFor: SecretFor;
}

/** The columns of a destination. The author lets its secret be sent. */
export interface DestinationColumns {
  readonly destination?: string;
  readonly url?: string;
  readonly auth_author_kind?: string;
  readonly auth_author_id?: Author["id"];
}

/** Returns the columns of a destination; none if it is not given. Throws 422 for one to which nothing could be sent. */
export async function acceptDestination(
  deps: DestinationDeps,
  { scope, author, kind }: { readonly scope: Scope; readonly author: Author | undefined; readonly kind: BrokerKind },
  given: DestinationInput | null | undefined,
): Promise<DestinationColumns> {
  if (given === undefined) return {};
  if (given === null)
    throw refusal([{ pointer: "/destination", code: "required", message: `is required for ${kind}` }]);
  if ((scope.tenant ?? null) !== null || author === undefined) throw refusal([notOfTenants]);
  const faults = destinationFaults(kind, given);
  if (faults.length > 0) throw refusal(faults);
  const destination = resolvedDestination(kind, given);
  const { urls, shown } = addressesOf(kind, destination);
  for (const url of urls) await deps.net.vet(url);
  await assertSecret(deps, { scope, author, urls }, destination);
  return {
    destination: JSON.stringify(destination),
    url: shown,
    auth_author_kind: author.kind,
    auth_author_id: author.id,
  };
}

/** Returns a destination with the members that are not given. */
export function resolvedDestination(kind: BrokerKind, given: DestinationInput): DestinationInput {
  return { ...DEFAULTS[kind], ...given };
}

/** A destination, and who lets its secret be sent. */
export interface StoredDestination {
  readonly kind: BrokerKind;
  readonly destination: DestinationInput;
  readonly by: Author;
}

/** Reads the destination of an endpoint; null if it is none of a broker. */
export function storedDestination(row: {
  readonly kind: string;
  readonly destination: unknown;
  readonly auth_author_kind: string | null;
  readonly auth_author_id: Author["id"] | null;
}): StoredDestination | null {
  const { kind, destination, auth_author_kind: author, auth_author_id: id } = row;
  if (destination === null || id === null) return null;
  const by: Author = { kind: author === "key" ? "key" : "member", id };
  return { kind: kind as BrokerKind, destination: destination as DestinationInput, by };
}

const notOfTenants: Violation = {
  pointer: "/destination",
  code: "tenant",
  message: "must be set by the workspace, whose secrets it names: use a credential that has no tenant",
};

function refusal(errors: readonly Violation[]): ServiceError {
  return new ServiceError("validation_failed", { errors: [...errors] });
}

async function assertSecret(
  { secretFor }: DestinationDeps,
  { scope, author, urls }: { readonly scope: Scope; readonly author: Author; readonly urls: readonly string[] },
  destination: DestinationInput,
): Promise<void> {
  const name = secretNameOfDestination(destination);
  if (name === undefined) return;
  const pointer = destination.sasl ? "/destination/sasl/secret_ref" : "/destination/secret_ref";
  const found = await secretFor(scope, name, { urls, by: author });
  if (found === null) {
    const message = `names the secret ${name}, which this environment does not have. Store it with PUT /v1/secrets/${name}`;
    throw refusal([{ pointer, code: "secret_missing", message }]);
  }
  if ("refused" in found) throw refusal([{ pointer, code: "secret_host", message: found.refused }]);
  if (isPairMissing(destination, found)) {
    const message = `names the secret ${name}, which is not user:password. Or give the username`;
    throw refusal([{ pointer, code: "secret_form", message }]);
  }
}

/** RabbitMQ signs in with a user only. */
function isPairMissing({ url, username }: DestinationInput, secret: Hidden): boolean {
  return url !== undefined && username === undefined && !secret.reveal().includes(":");
}

/** Returns what is wrong with a destination of the kind. */
export function destinationFaults(kind: BrokerKind, given: DestinationInput): Violation[] {
  const { required, optional, templates } = MEMBERS[kind];
  const known = new Set<string>([...required, ...optional]);
  const missing = required
    .filter((name) => given[name] === undefined)
    .map((name) => fault(name, "required", `is required for ${kind}`));
  const unknown = Object.keys(given)
    .filter((name) => !known.has(name))
    .map((name) => fault(name, "unknown", `is not a member of ${kind}`));
  const unfilled = templates.filter((name) => readText(String(given[name] ?? ""), TEMPLATE_ROOTS) === undefined);
  return [
    ...missing,
    ...unknown,
    ...unfilled.map((name) => fault(name, "template", TEMPLATE)),
    ...placeFaults(given),
    ...(AWS_REGION.test(given.region ?? "eu-central-1") ? [] : [fault("region", "region", "must be a region of AWS")]),
    ...secretFaults(given),
  ];
}

const TEMPLATE =
  "must contain ${…} tokens with paths such as ${$.data.total} or ${event}, which begin with one of event, data, subject, tenant, id";

function fault(name: string, code: string, message: string): Violation {
  return { pointer: `/destination/${name}`, code, message };
}

/** `host:port`, and the same after a scheme. No one can sneak a path, a user or a zone in. */
const HOST = String.raw`(?:[a-z0-9](?:[\w.-]{0,251}[a-z0-9.])?|\[[0-9a-f:.]{2,45}\])`;
const BROKER = new RegExp(`^${HOST}:\\d{1,5}$`, "i");
const SERVER = new RegExp(`^(?:nats|tls)://${HOST}(?::\\d{1,5})?$`, "i");
const AMQP = new RegExp(String.raw`^amqps?://${HOST}(?::\d{1,5})?(?:/[^/?#\s]{0,255})?$`, "i");

function placeFaults({ brokers = [], servers = [], url, endpoint_url: endpoint, queue_url: queue }: DestinationInput) {
  const faults = brokers.flatMap((one, at) =>
    isPlace(BROKER, one)
      ? []
      : [fault(`brokers/${at}`, "host_port", "must be host:port, such as kafka.example.com:9093")],
  );
  for (const [at, one] of servers.entries())
    if (!isPlace(SERVER, one))
      faults.push(fault(`servers/${at}`, "url", "must be nats://host:port or tls://host:port, without user and path"));
  if (url !== undefined && !isPlace(AMQP, url)) faults.push(fault("url", "url", AMQP_URL));
  for (const [name, one] of Object.entries({ endpoint_url: endpoint, queue_url: queue }))
    if (one !== undefined && !isWebUrl(one))
      faults.push(fault(name, "url", "must be an https URL without user, query and fragment"));
  return faults;
}

const AMQP_URL =
  "must be amqps://host:port/vhost, with one virtual host, and without user, password and query: give username and secret_ref instead";

function isPlace(form: RegExp, text: string): boolean {
  const [, port = "1"] = /:(\d{1,5})(?:\/[^:]*)?$/.exec(text) ?? [];
  return form.test(text) && Number(port) > 0 && Number(port) < 65_536;
}

function isWebUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  return url.username === "" && url.password === "" && url.search === "" && url.hash === "";
}

function secretFaults({ secret_ref: name, sasl, username }: DestinationInput): Violation[] {
  const message = "must be the name of a secret (PUT /v1/secrets/{name})";
  const faults = [];
  if (!SECRET_FORM.test(name ?? "a")) faults.push(fault("secret_ref", "secret_name", message));
  if (!SECRET_FORM.test(sasl?.secret_ref ?? "a")) faults.push(fault("sasl/secret_ref", "secret_name", message));
  if (username !== undefined && name === undefined)
    faults.push(fault("secret_ref", "required", "is required with a username: it is the password"));
  return faults;
}
