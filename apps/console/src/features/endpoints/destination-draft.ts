import type { wire } from "../../api/api.ts";

type Destination = NonNullable<wire.WebhookEndpoint["destination"]>;
export type BrokerKind = "kafka" | "rabbitmq" | "nats" | "sqs" | "sns" | "eventbridge" | "s3";

/** A member of a destination as it is edited: each is a text. */
export interface DestinationField {
  readonly name: Extract<keyof Destination, string>;
  readonly label: string;
  readonly placeholder?: string;
  readonly description?: string;
  readonly isOptional?: true;
  /** `list`: separated by commas. `whole`: a number. `switch`: on or off. `secret`: the name of a secret. */
  readonly form?: "list" | "whole" | "switch" | "secret";
}

const SECRET: DestinationField = { name: "secret_ref", label: "Secret", form: "secret" };
const KEY: DestinationField = {
  name: "partition_key",
  label: "Partition key",
  placeholder: "${$.data.customer_id}",
  description: "Leave empty for the ordering key, or the subject of the event.",
  isOptional: true,
};
const USER: DestinationField = { name: "username", label: "User name", isOptional: true };
const AWS: readonly DestinationField[] = [
  { name: "region", label: "Region", placeholder: "eu-central-1" },
  { name: "access_key_id", label: "Access key ID" },
  { ...SECRET, label: "Secret with the secret access key" },
  { name: "endpoint_url", label: "Endpoint URL", description: "Leave empty for AWS itself.", isOptional: true },
];

export const KINDS: Readonly<
  Record<BrokerKind, { readonly label: string; readonly fields: readonly DestinationField[] }>
> = {
  kafka: {
    label: "Kafka",
    fields: [
      { name: "brokers", label: "Brokers", placeholder: "kafka.example.com:9093", form: "list" },
      { name: "topic", label: "Topic", placeholder: "orders" },
      { name: "tls", label: "TLS", form: "switch" },
      KEY,
    ],
  },
  rabbitmq: {
    label: "RabbitMQ",
    fields: [
      { name: "url", label: "Broker URL", placeholder: "amqps://rabbitmq.example.com:5671/orders" },
      { name: "exchange", label: "Exchange", placeholder: "orders" },
      { name: "routing_key", label: "Routing key", placeholder: "orders.${event}" },
      USER,
      { ...SECRET, label: "Secret with the password", isOptional: true },
    ],
  },
  nats: {
    label: "NATS",
    fields: [
      { name: "servers", label: "Servers", placeholder: "tls://nats.example.com:4222", form: "list" },
      { name: "subject", label: "Subject", placeholder: "orders.${event}" },
      { name: "jetstream", label: "JetStream", form: "switch" },
      USER,
      { ...SECRET, label: "Secret with the password or token", isOptional: true },
    ],
  },
  sqs: { label: "Amazon SQS", fields: [...AWS, { name: "queue_url", label: "Queue URL" }, KEY] },
  sns: { label: "Amazon SNS", fields: [...AWS, { name: "topic_arn", label: "Topic ARN" }, KEY] },
  eventbridge: {
    label: "Amazon EventBridge",
    fields: [...AWS, { name: "bus", label: "Event bus" }, { name: "source", label: "Source" }],
  },
  s3: {
    label: "Amazon S3",
    fields: [
      ...AWS,
      { name: "bucket", label: "Bucket" },
      { name: "prefix", label: "Prefix", placeholder: "events/${event}/", isOptional: true },
      { name: "max_items", label: "Messages in an object", form: "whole", isOptional: true },
      { name: "max_wait_seconds", label: "Longest wait in seconds", form: "whole", isOptional: true },
    ],
  },
};

/** The texts of the members by name. What has no field, such as the sign-in to Kafka, is kept as it is. */
export interface DestinationDraft {
  readonly texts: Readonly<Record<string, string>>;
  readonly kept: Destination;
}

export const NO_DESTINATION: DestinationDraft = { texts: {}, kept: {} };

export function isBrokerKind(kind: string): kind is BrokerKind {
  return Object.hasOwn(KINDS, kind);
}

export function destinationDraftOf({ kind, destination }: wire.WebhookEndpoint): DestinationDraft {
  if (destination === null || !isBrokerKind(kind)) return NO_DESTINATION;
  const texts = KINDS[kind].fields.map(({ name }) => [name, textOf(destination[name])] as const);
  return { texts: Object.fromEntries(texts), kept: destination };
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(", ");
  if (typeof value === "boolean") return value ? "on" : "off";
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Returns the destination. An empty optional member is left out, and a required one is judged by the service. */
export function destinationOf(kind: BrokerKind, { texts, kept }: DestinationDraft): Destination {
  const { fields } = KINDS[kind];
  const edited = fields.flatMap(({ name, form, isOptional }) => {
    const text = (texts[name] ?? "").trim();
    return text === "" && isOptional === true ? [] : [[name, valueOf(text, form)] as const];
  });
  const names = new Set<string>(fields.map(({ name }) => name));
  const others = Object.entries(kept).filter(([name]) => !names.has(name));
  return Object.fromEntries([...others, ...edited]) as Destination;
}

function valueOf(text: string, form: DestinationField["form"]): string | string[] | number | boolean {
  if (form === "list")
    return text
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== "");
  if (form === "whole") return Number(text);
  return form === "switch" ? text !== "off" : text;
}
