import { awsEndpoint } from "../../platform/brokers/brokers.ts";
import type { BrokerKind } from "../../platform/brokers/brokers.ts";
import type { DestinationInput } from "./destination.schemas.ts";

interface Addresses {
  /** The places that get the secret, as URLs that the guard and the hosts of secrets read. */
  readonly urls: readonly string[];
  /** The address that is stored in place of a URL. It is never one of HTTP, so that nothing is sent to it. */
  readonly shown: string;
}

/** Returns the places of a valid destination. */
export function addressesOf(kind: BrokerKind, destination: DestinationInput): Addresses {
  if (kind === "kafka") return ofKafka(destination);
  if (kind === "nats") return ofNats(destination);
  return kind === "rabbitmq" ? ofRabbitmq(destination) : ofAws(kind, destination);
}

function ofKafka({ brokers = [], topic = "", tls = true }: DestinationInput): Addresses {
  return { urls: brokers.map((one) => webUrl(one, tls)), shown: `kafka://${brokers[0] ?? ""}/${topic}` };
}

/** A server says whether it uses TLS. Without TLS, the guard judges the connection again. */
function ofNats({ servers = [] }: DestinationInput): Addresses {
  return { urls: servers.map((one) => webUrl(one, true)), shown: servers[0] ?? "" };
}

function ofRabbitmq({ url = "" }: DestinationInput): Addresses {
  return { urls: [webUrl(url, url.toLowerCase().startsWith("amqps:"))], shown: url };
}

/** A queue is called at the endpoint too, and only named by its own URL. */
function ofAws(kind: Exclude<BrokerKind, "kafka" | "nats" | "rabbitmq">, destination: DestinationInput): Addresses {
  const { region = "", endpoint_url: own } = destination;
  const endpoint = awsEndpoint(kind, own === undefined ? { region } : { region, endpoint_url: own });
  const { queue_url: queue, topic_arn: arn, bus, bucket } = destination;
  const name = [bucket, bus, arn, queue?.replace(/^.*\//, "")].find((one) => one !== undefined) ?? "";
  return { urls: [endpoint], shown: `${kind}://${endpoint.replace(/^https?:\/\//, "")}/${encodeURIComponent(name)}` };
}

/** The default ports, which the hosts of secrets do not need, but the guard. */
const PORTS: Readonly<Record<string, string>> = { "amqp:": "5672", "amqps:": "5671", "nats:": "4222", "tls:": "4222" };

function webUrl(place: string, isSecure: boolean): string {
  const [, scheme = "", host = ""] = /^(?:([a-z]+:)\/\/)?([^/]+)/i.exec(place) ?? [];
  const port = /:\d+$/.test(host) ? "" : `:${PORTS[scheme.toLowerCase()] ?? ""}`;
  return `${isSecure ? "https" : "http"}://${host}${port}`;
}

export function secretNameOfDestination({ secret_ref: name, sasl }: DestinationInput): string | undefined {
  return name ?? sasl?.secret_ref;
}
