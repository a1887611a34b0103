import { jetstreamManager, jetstream } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startAwsPeer, startMoto } from "../../testing/aws.ts";
import type { AwsPeer, Moto } from "../../testing/aws.ts";
import { startBrokerNames } from "../../testing/broker-names.ts";
import { deliveryLog } from "../../testing/delivery-log.ts";
import type { DeliveryLog } from "../../testing/delivery-log.ts";
import { startKafka, whyNoKafka } from "../../testing/kafka.ts";
import type { Kafka } from "../../testing/kafka.ts";
import { JETSTREAM, startNats } from "../../testing/nats.ts";
import type { NatsServer } from "../../testing/nats.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

const noKafka = await whyNoKafka();
let names: Awaited<ReturnType<typeof startBrokerNames>>;
let service: TestService;
let log: DeliveryLog;
beforeAll(async () => {
  names = await startBrokerNames();
  service = await startService({ env: { ...UNLIMITED, JUNCTION_DNS_SERVERS: names.address } });
  log = deliveryLog(service);
}, 120_000);
afterAll(async () => {
  await service.close();
  await names.close();
});

let events = 0;

/** Fires an event to an endpoint of the kind. Returns the delivery, and the body that a consumer should get. */
async function sent(kind: string, destination: Parsed, subject = "ord_1") {
  events += 1;
  const event = `each.event-${events}`;
  const made = await service.api("POST", "/v1/webhook-endpoints", { kind, destination, events: [event] });
  expect(made.status).toBe(201);
  const fired = await service.api("POST", "/v1/events/fire", { event, data: { kind, text: "Zoë" }, subject });
  const id = String(fired.body["deliveries"][0]["id"]);
  return { id, endpoint: String(made.body["id"]) };
}

async function bodyOf(id: string): Promise<string> {
  return String((await log.get(id))["request"]["body"]);
}

describe.skipIf(noKafka !== undefined)("kafka", () => {
  let cluster: Kafka;
  beforeAll(async () => void (cluster = await startKafka()), 300_000);
  afterAll(async () => await cluster.stop());

  test("a record has the key and the bytes, and a missing topic fails", async () => {
    await cluster.peer("create", "orders", 3, 1, "");
    const brokers = [`bootstrap.test:${cluster.nodes[0]?.ports.plain ?? 0}`];
    const { id } = await sent("kafka", { brokers, topic: "orders", tls: false });
    await log.in(id, "delivered");
    const [[, , , key = "", body = ""] = []] = await cluster.peer("read", "orders", 1);
    expect(Buffer.from(key, "base64").toString()).toBe("ord_1");
    expect(Buffer.from(body, "base64").toString()).toBe(await bodyOf(id));
    const missing = await sent("kafka", { brokers, topic: "absent", tls: false });
    await log.attempted(missing.id, 1);
    expect((await log.attempts(missing.id))[0]).toMatchObject({ error_class: "broker", status_code: null });
  });
});

describe("nats", () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await startNats(`${JETSTREAM}\nauthorization { user: shop, password: of-the-shop }`);
    await service.api("PUT", "/v1/secrets/nats_password", { value: "of-the-shop", hosts: ["127.0.0.1"] });
  }, 300_000);
  afterAll(async () => await server.stop());

  test("a stream has the bytes, and a subject without one fails", async () => {
    const own = await connect({ servers: `127.0.0.1:${server.port}`, user: "shop", pass: "of-the-shop" });
    const manager = await jetstreamManager(own);
    await manager.streams.add({ name: "ORDERS", subjects: ["orders.>"] });
    const destination = {
      servers: [`nats://127.0.0.1:${server.port}`],
      subject: "orders.${$.data.kind}",
      username: "shop",
      secret_ref: "nats_password",
    };
    const { id } = await sent("nats", destination);
    await log.in(id, "delivered");
    const stream = await jetstream(own).streams.get("ORDERS");
    const message = await stream.getMessage({ last_by_subj: "orders.nats" });
    expect(message?.string()).toBe(await bodyOf(id));
    expect(message?.header.get("webhook-id")).toBe(id);
    await own.close();
    const lost = await sent("nats", { ...destination, subject: "nowhere" });
    await log.attempted(lost.id, 1);
    expect((await log.attempts(lost.id))[0]).toMatchObject({ error_class: "broker", status_code: null });
  });
});

describe("the kinds of AWS", () => {
  let peer: AwsPeer;
  let moto: Moto;
  beforeAll(async () => {
    peer = await startAwsPeer();
    moto = await startMoto(peer);
    await service.api("PUT", "/v1/secrets/aws_secret", { value: moto.secret, hosts: ["127.0.0.1"] });
  }, 600_000);
  afterAll(async () => void (await Promise.all([moto.stop(), peer.stop()])));

  const account = (): Parsed => ({
    region: "eu-west-1",
    endpoint_url: moto.url,
    access_key_id: moto.accessKeyId,
    secret_ref: "aws_secret",
  });

  test("a queue has the bytes, and another secret fails the attempt", async () => {
    const { QueueUrl } = await peer.call(moto, "sqs", "create_queue", { QueueName: "orders" });
    const { id } = await sent("sqs", { ...account(), queue_url: QueueUrl });
    await log.in(id, "delivered");
    const { Messages } = (await peer.call(moto, "sqs", "receive_message", { QueueUrl })) as { Messages: Parsed[] };
    expect(Messages[0]["Body"]).toBe(await bodyOf(id));
    await service.api("PUT", "/v1/secrets/aws_wrong", { value: "not-the-secret", hosts: ["127.0.0.1"] });
    const wrong = await sent("sqs", { ...account(), secret_ref: "aws_wrong", queue_url: QueueUrl });
    await log.attempted(wrong.id, 1);
    const [attempt] = await log.attempts(wrong.id);
    expect(attempt).toMatchObject({ error_class: "broker", error_detail: expect.stringMatching(/^sign_in: /) });
    expect(JSON.stringify(attempt)).not.toContain("not-the-secret");
  });

  test("a topic and a bus confirm a message", async () => {
    const { TopicArn } = await peer.call(moto, "sns", "create_topic", { Name: "orders" });
    await log.in((await sent("sns", { ...account(), topic_arn: TopicArn })).id, "delivered");
    await peer.call(moto, "events", "create_event_bus", { Name: "orders" });
    const bus = { ...account(), bus: "orders", source: "com.example" };
    await log.in((await sent("eventbridge", bus)).id, "delivered");
  });

  test("an object has the messages of a second, each delivered once it is written", async () => {
    const CreateBucketConfiguration = { LocationConstraint: "eu-west-1" };
    await peer.call(moto, "s3", "create_bucket", { Bucket: "orders", CreateBucketConfiguration });
    const { id } = await sent("s3", { ...account(), bucket: "orders", prefix: "in/", max_wait_seconds: 1 });
    expect(await log.in(id, "delivered")).toMatchObject({ attempt_count: 1 });
    const { Contents } = (await peer.call(moto, "s3", "list_objects_v2", { Bucket: "orders" })) as {
      Contents: Parsed[];
    };
    expect(Contents.map(({ Key }) => String(Key))).toEqual([expect.stringMatching(/^in\//)]);
  });
});
