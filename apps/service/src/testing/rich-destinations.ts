const SECRET = { secret_ref: "crm_token" };
const AWS = {
  region: "eu-central-1",
  endpoint_url: "http://127.0.0.1:9",
  access_key_id: "AKIAIOSFODNN7EXAMPLE",
  ...SECRET,
};

/** A destination of each kind of broker, with all its members. */
const DESTINATIONS = {
  kafka: {
    brokers: ["127.0.0.1:9", "127.0.0.1:10"],
    topic: "orders",
    tls: false,
    sasl: { mechanism: "scram-sha-256", username: "junction", ...SECRET },
    partition_key: "${$.data.customer_id}",
  },
  rabbitmq: {
    url: "amqp://127.0.0.1:9/orders",
    exchange: "orders",
    routing_key: "orders.${event}",
    username: "junction",
    ...SECRET,
  },
  nats: {
    servers: ["nats://127.0.0.1:9"],
    subject: "orders.${event}",
    jetstream: false,
    username: "junction",
    ...SECRET,
  },
  sqs: { ...AWS, queue_url: "http://127.0.0.1:9/123456789012/orders", partition_key: "${$.data.customer_id}" },
  sns: { ...AWS, topic_arn: "arn:aws:sns:eu-central-1:123456789012:orders" },
  eventbridge: { ...AWS, bus: "orders", source: "com.example.orders" },
  s3: { ...AWS, bucket: "orders", prefix: "events/${event}/", max_items: 20, max_wait_seconds: 2 },
};

/** The bodies with which endpoints of these kinds are created. */
export const richBrokerEndpoints = Object.entries(DESTINATIONS).map(([kind, destination]) => ({
  kind,
  destination,
  events: ["order.created"],
}));
