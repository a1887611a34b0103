import { awsEndpoint } from "../../platform/brokers/brokers.ts";
import type { BrokerKind } from "../../platform/brokers/brokers.ts";
import type { DestinationInput } from "./destination.schemas.ts";

interface Addresses {
  /** The places that get the secret, as URLs that the guard and the hosts of secrets read. */
  readonly urls: readonly string[];
  /** The address that is stored beside the URLs of other endpoints. It is never one of HTTP, so that nothing is sent to it. */
  readonly shown: string;
}

/** Returns the places of a valid destination. */
export function addressesOf(kind: BrokerKind, destination: DestinationInput): Addresses {
  const { brokers = [], topic = "", tls = true, servers = [], url = "" } = destination;
  if (kind === "kafka")
    return { urls: brokers.map((one) => webUrl(one, tls)), shown: `kafka://${brokers[0] ?? ""}/${topic}` };
  // A server of NATS says whether it uses TLS. Without TLS, the guard judges the connection again.
  if (kind === "nats") return { urls: servers.map((one) => webUrl(one, true)), shown: servers[0] ?? "" };
  if (kind === "rabbitmq") return { urls: [webUrl(url, url.toLowerCase().startsWith("amqps:"))], shown: url };
  const { region = "", endpoint_url, queue_url: queue = "", topic_arn: arn = "", bus = "", bucket = "" } = destination;
  const endpoint = awsEndpoint(kind, endpoint_url === undefined ? { region } : { region, endpoint_url });
  const name = bucket || bus || arn || queue.replace(/^.*\//, "");
  // A queue is called at its own URL.
  const urls = kind === "sqs" && endpoint_url === undefined ? [endpoint, queue] : [endpoint];
  return { urls, shown: `${kind}://${endpoint.replace(/^https?:\/\//, "")}/${encodeURIComponent(name)}` };
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
