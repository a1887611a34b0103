import { t } from "../../lib/lib.ts";

const Template = (example: string, description: string) =>
  t.StringExample(example, { minLength: 1, maxLength: 500, description });
const REFERENCE =
  "can contain values of the event as `${$.data.x}`, `${event}`, `${subject}`, `${tenant}` or `${id}`. A missing or empty value becomes `_`";

const Sasl = t.Object(
  {
    mechanism: t.OneOf(["plain", "scram-sha-256", "scram-sha-512"]),
    username: t.StringExample("junction", { minLength: 1, maxLength: 200 }),
    secret_ref: t.StringExample("kafka_password", "The name of the secret with the password."),
  },
  { ...t.strict, title: "KafkaSasl" },
);

const DestinationObject = t.Object(
  {
    brokers: t.Optional(
      t.Array(t.StringExample("kafka.example.com:9093", { maxLength: 260 }), {
        minItems: 1,
        maxItems: 20,
        description: "`kafka`: the brokers to ask first, as `host:port`. The guard judges those that they name too.",
      }),
    ),
    topic: t.Optional(
      t.StringExample("orders", { minLength: 1, maxLength: 249, description: "`kafka`: the topic, which must exist." }),
    ),
    tls: t.Optional(t.Boolean({ default: true, description: "`kafka`: whether the connections use TLS." })),
    sasl: t.Optional(t.Nullable(Sasl)),
    partition_key: t.Optional(
      Template(
        "${$.data.customer_id}",
        `\`kafka\`, \`sqs\` and \`sns\`: the key of the message, which is the group of a FIFO queue or topic. It ${REFERENCE}. Default: the delivery's \`ordering_key\`, otherwise the subject of the event.`,
      ),
    ),
    url: t.Optional(
      t.StringExample("amqps://rabbitmq.example.com:5671/orders", {
        minLength: 1,
        maxLength: 2048,
        description: "`rabbitmq`: the broker and its virtual host, without a user name and a password.",
      }),
    ),
    exchange: t.Optional(
      t.StringExample("orders", {
        maxLength: 127,
        description: "`rabbitmq`: the exchange, which must exist. Empty: the default exchange.",
      }),
    ),
    routing_key: t.Optional(Template("orders.${event}", `\`rabbitmq\`: the routing key. It ${REFERENCE}.`)),
    servers: t.Optional(
      t.Array(t.StringExample("tls://nats.example.com:4222", { maxLength: 300 }), {
        minItems: 1,
        maxItems: 20,
        description: "`nats`: the servers, as `nats://host:port` or `tls://host:port`.",
      }),
    ),
    subject: t.Optional(Template("orders.${event}", `\`nats\`: the subject. It ${REFERENCE}.`)),
    jetstream: t.Optional(
      t.Boolean({
        default: true,
        description:
          "`nats`: whether a stream confirms the message. Without it, the server only has received the message, and no one may have got it.",
      }),
    ),
    username: t.Optional(
      t.StringExample("junction", {
        minLength: 1,
        maxLength: 200,
        description:
          "`rabbitmq` and `nats`: the user. Without it, the secret is `user:password` (`rabbitmq`), or a token or a credentials file (`nats`).",
      }),
    ),
    region: t.Optional(t.StringExample("eu-central-1", { maxLength: 40, description: "The region of AWS." })),
    endpoint_url: t.Optional(
      t.StringExample("https://sqs.eu-central-1.amazonaws.com", {
        maxLength: 2048,
        description: "The endpoint of a service that speaks the protocol of AWS. Default: that of the region.",
      }),
    ),
    access_key_id: t.Optional(
      t.StringExample("AKIAIOSFODNN7EXAMPLE", {
        minLength: 1,
        maxLength: 128,
        description: "The access key of AWS. The secret is its secret access key.",
      }),
    ),
    queue_url: t.Optional(
      t.StringExample("https://sqs.eu-central-1.amazonaws.com/123456789012/orders", { minLength: 1, maxLength: 2048 }),
    ),
    topic_arn: t.Optional(
      t.StringExample("arn:aws:sns:eu-central-1:123456789012:orders", { minLength: 1, maxLength: 512 }),
    ),
    bus: t.Optional(
      t.StringExample("orders", { minLength: 1, maxLength: 512, description: "`eventbridge`: the bus, or its ARN." }),
    ),
    source: t.Optional(
      t.StringExample("com.example.orders", {
        minLength: 1,
        maxLength: 256,
        description: "`eventbridge`: the source of the events.",
      }),
    ),
    bucket: t.Optional(t.StringExample("orders", { minLength: 3, maxLength: 63 })),
    prefix: t.Optional(
      t.StringExample("events/${event}/", {
        maxLength: 500,
        description: `\`s3\`: the beginning of the names of objects. It ${REFERENCE}.`,
      }),
    ),
    max_items: t.Optional(
      t.Integer({
        minimum: 1,
        maximum: 256,
        default: 100,
        description: "`s3`: the most messages in an object. They wait together, so `max_in_flight` is at least this.",
      }),
    ),
    max_wait_seconds: t.Optional(
      t.Integer({
        minimum: 1,
        maximum: 10,
        default: 5,
        description: "`s3`: the longest wait of a message for others, in seconds.",
      }),
    ),
    secret_ref: t.Optional(
      t.StringExample("broker_password", "The name of the secret to sign in with. See `PUT /v1/secrets/{name}`."),
    ),
  },
  { ...t.strict, title: "EndpointDestination" },
);

/** Where the messages of an endpoint go whose kind is a broker. It names secrets and contains none. */
export type DestinationInput = t.Static<typeof DestinationObject>;

export const DestinationView = t.Nullable(
  t.Unsafe<DestinationInput>({
    ...DestinationObject,
    examples: [
      {
        url: "amqps://rabbitmq.example.com:5671/orders",
        exchange: "orders",
        routing_key: "orders.${event}",
        username: "junction",
        secret_ref: "broker_password",
      },
    ],
    description:
      "Where the messages of a kind go that is not HTTP, with the members of that kind. Its secrets (`PUT /v1/secrets/{name}`) must name its hosts. Set by the workspace, not by a tenant. A change replaces the whole, and deliveries that wait go to the new destination. Null for kinds `webhook` and `pull`.",
  }),
);
