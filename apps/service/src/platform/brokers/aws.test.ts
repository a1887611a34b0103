import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { hide, systemClock } from "../../lib/lib.ts";
import { startAwsPeer, startElasticmq, startMoto } from "../../testing/aws.ts";
import type { AwsPeer, AwsServer, Moto } from "../../testing/aws.ts";
import { createNet, parseAllowTargets } from "../outbound-http/outbound-http.ts";
import { BrokerError } from "./broker.ts";
import type { BrokerDeps, BrokerMessage } from "./broker.ts";
import { eventbridge } from "./eventbridge.ts";
import { sns } from "./sns.ts";
import { sqs } from "./sqs.ts";

const WITHIN_MS = 15_000;
const net = createNet({
  clock: systemClock,
  allow: parseAllowTargets("127.0.0.1/32"),
  inbox: null,
  dnsServers: null,
});
const noSocket = async () => await Promise.reject(new Error("no AWS kind opens a socket of its own"));
const deps: BrokerDeps = { net, clock: systemClock, dial: noSocket, secure: noSocket };

let peer: AwsPeer;
let moto: Moto;
let elasticmq: AwsServer;
beforeAll(async () => {
  peer = await startAwsPeer();
  [moto, elasticmq] = await Promise.all([startMoto(peer), startElasticmq()]);
}, 600_000);
afterAll(async () => {
  await Promise.all([moto.stop(), elasticmq.stop(), peer.stop(), net.close()]);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const HEADERS = {
  "Content-Type": "application/json",
  "User-Agent": "Junction/0.1.0",
  "X-Service-Signature": "ab".repeat(32),
  "X-Service-Timestamp": "1796000000",
  "X-Service-Event": "order.created",
  "X-Service-Delivery": "dlv_1",
  "webhook-id": "dlv_1",
  "webhook-timestamp": "1796000000",
  "webhook-signature": "v1,AAAA v1,BBBB",
  traceparent: "00-11111111111111111111111111111111-2222222222222222-01",
  "X-Own": "ü \u{1F600}",
  "X-Empty": "",
};
/** Big integers, characters beyond the basic plane, escapes, and line ends inside and outside of strings. */
const BODY =
  '{\n"big":12345678901234567890.10,"ü":"\u{1F600} \\u0000 \\ud83d \u2028 <&>\\"","tab\\t":null,\t"e":[]}\r\n';
const OWN_ATTRIBUTES = {
  "content-type": "application/json",
  "x-service-signature": HEADERS["X-Service-Signature"],
  "x-service-timestamp": "1796000000",
  "x-service-event": "order.created",
  "webhook-id": "dlv_1",
  "webhook-timestamp": "1796000000",
  "webhook-signature": "v1,AAAA v1,BBBB",
  traceparent: HEADERS.traceparent,
};
const OTHERS = {
  "user-agent": "Junction/0.1.0",
  "x-service-delivery": "dlv_1",
  "x-own": "ü \u{1F600}",
  "x-empty": "",
};

function messageOf(of: Partial<BrokerMessage> = {}): BrokerMessage {
  return { id: "dlv_1", path: null, key: null, headers: HEADERS, body: Buffer.from(BODY), ...of };
}

async function failureOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (error instanceof BrokerError) return `${error.step}: ${error.message}`;
    return `no BrokerError: ${String(error)}`;
  }
  return "it did not fail";
}

const place = (server: AwsServer) => ({
  region: "eu-west-1",
  endpoint_url: server.url,
  access_key_id: server.accessKeyId,
  secret_ref: "aws",
});

interface QueueMessage {
  readonly Body: string;
  readonly Attributes: Readonly<Record<string, string>>;
  readonly MessageAttributes: Readonly<Record<string, { readonly StringValue: string; readonly DataType: string }>>;
}

/** Takes a message of a queue with boto3. */
async function taken(server: AwsServer, QueueUrl: string): Promise<QueueMessage | undefined> {
  const { Messages: [message] = [] } = (await peer.call(server, "sqs", "receive_message", {
    QueueUrl,
    MaxNumberOfMessages: 1,
    MessageAttributeNames: ["All"],
    AttributeNames: ["All"],
  })) as { Messages?: (QueueMessage & { ReceiptHandle: string })[] };
  if (message !== undefined) {
    const { ReceiptHandle } = message;
    await peer.call(server, "sqs", "delete_message", { QueueUrl, ReceiptHandle });
  }
  return message;
}

function attributesOf({ MessageAttributes }: QueueMessage): Record<string, unknown> {
  const texts = Object.entries(MessageAttributes).map(([name, { StringValue }]) => [name, StringValue] as const);
  const { headers = "null", ...own } = Object.fromEntries(texts);
  return { ...own, headers: JSON.parse(headers) as unknown };
}

describe.each([
  ["moto", () => moto],
  ["ElasticMQ", () => elasticmq],
] as const)("SQS, as %s implements it", (_, serverOf) => {
  async function queue(name: string, Attributes: object = {}): Promise<string> {
    const made = await peer.call(serverOf(), "sqs", "create_queue", { QueueName: name, Attributes });
    return String(made["QueueUrl"]);
  }

  async function connected(queue_url: string) {
    const server = serverOf();
    return await sqs.open(deps, { ...place(server), queue_url }, hide(server.secret), WITHIN_MS);
  }

  test("boto3 reads the exact body and headers", async () => {
    const url = await queue("exact");
    const connection = await connected(url);
    expect(await connection.send(messageOf(), WITHIN_MS)).toMatchObject({
      text: expect.stringMatching(/^message [\w-]+$/),
      address: "127.0.0.1",
    });
    const message = await taken(serverOf(), url);
    expect(message?.Body).toBe(BODY);
    expect(message === undefined ? null : attributesOf(message)).toEqual({ ...OWN_ATTRIBUTES, headers: OTHERS });
  });

  test("a body that a queue does not take as text comes in base64", async () => {
    const url = await queue("bytes");
    const connection = await connected(url);
    for (const body of [Buffer.from("\uFFFE"), Buffer.from([0x7b, 0, 0x7d]), Buffer.from([0xff, 0xfe])]) {
      await connection.send(messageOf({ body }), WITHIN_MS);
      const message = await taken(serverOf(), url);
      expect(Buffer.from(message?.Body ?? "", "base64")).toEqual(body);
      expect(message?.MessageAttributes["body-encoding"]?.StringValue).toBe("base64");
    }
    expect(await failureOf(connection.send(messageOf({ body: Buffer.alloc(0) }), WITHIN_MS))).toMatch(
      /^send: .* no empty message/,
    );
  });

  test("a FIFO queue takes each delivery once, in the group of its key", async () => {
    const url = await queue("in-order.fifo", { FifoQueue: "true" });
    const connection = await connected(url);
    const keys = ["orders/7", null, "a key with spaces, ü, and more"];
    for (const [at, key] of keys.entries()) {
      const message = messageOf({ id: `dlv_${at}`, key });
      await connection.send(message, WITHIN_MS);
      await connection.send(message, WITHIN_MS);
    }
    const groups: (string | undefined)[] = [];
    for (let message = await taken(serverOf(), url); message !== undefined; message = await taken(serverOf(), url))
      groups.push(message.Attributes["MessageGroupId"]);
    // Groups do not wait for each other.
    expect(groups.toSorted()).toEqual(["dlv_1", "orders/7", expect.stringMatching(/^sha256:[0-9a-f]{64}$/)]);
  });

  test("a missing queue and a message that is too long are reported", async () => {
    const url = await queue("limits");
    expect(await failureOf(connected(`${url}-missing`))).toMatch(
      /^send: There is no such destination in the region eu-west-1: .*Create it, or correct `queue_url` and `region`/,
    );
    const connection = await connected(url);
    const body = Buffer.from(`"${"x".repeat(2 * 1024 * 1024)}"`);
    expect(await failureOf(connection.send(messageOf({ body }), WITHIN_MS))).toMatch(
      /^send: The message is larger than the queue .* takes\./,
    );
  });
});

test("SNS: subscribers get the exact body and headers, also in order", async () => {
  for (const suffix of ["", ".fifo"]) {
    const fifo = suffix === "" ? {} : { FifoQueue: "true" };
    const topic = suffix === "" ? {} : { FifoTopic: "true" };
    const { QueueUrl } = await peer.call(moto, "sqs", "create_queue", { QueueName: `sub${suffix}`, Attributes: fifo });
    const { TopicArn } = await peer.call(moto, "sns", "create_topic", { Name: `top${suffix}`, Attributes: topic });
    const Endpoint = `arn:aws:sqs:eu-west-1:123456789012:sub${suffix}`;
    const Attributes = { RawMessageDelivery: "true" };
    await peer.call(moto, "sns", "subscribe", { TopicArn, Protocol: "sqs", Endpoint, Attributes });
    const destination = { ...place(moto), topic_arn: String(TopicArn) };
    const connection = await sns.open(deps, destination, hide(moto.secret), WITHIN_MS);
    const confirmation = await connection.send(messageOf({ key: "k" }), WITHIN_MS);
    expect(confirmation.text).toMatch(/^message [\w-]+$/);
    const message = await taken(moto, String(QueueUrl));
    expect(message?.Body).toBe(BODY);
    expect(message === undefined ? null : attributesOf(message)).toEqual({ ...OWN_ATTRIBUTES, headers: OTHERS });
    if (suffix !== "") expect(message?.Attributes["MessageGroupId"]).toBe("k");
  }
  const missing = { ...place(moto), topic_arn: "arn:aws:sns:eu-west-1:123456789012:none" };
  expect(await failureOf(sns.open(deps, missing, hide(moto.secret), WITHIN_MS))).toMatch(/^send: There is no such/);
});

test("EventBridge: rules get the body as the detail, and the event's name", async () => {
  const Name = "shop";
  await peer.call(moto, "events", "create_event_bus", { Name });
  const archive = { ArchiveName: "all", EventSourceArn: `arn:aws:events:eu-west-1:123456789012:event-bus/${Name}` };
  await peer.call(moto, "events", "create_archive", archive);
  const { QueueUrl } = await peer.call(moto, "sqs", "create_queue", { QueueName: "events" });
  const rule = { Name: "rule", EventBusName: Name, EventPattern: '{"source":["junction"]}' };
  await peer.call(moto, "events", "put_rule", rule);
  const Targets = [{ Id: "1", Arn: "arn:aws:sqs:eu-west-1:123456789012:events" }];
  await peer.call(moto, "events", "put_targets", { Rule: "rule", EventBusName: Name, Targets });
  const destination = { ...place(moto), bus: Name, source: "junction" };
  const connection = await eventbridge.open(deps, destination, hide(moto.secret), WITHIN_MS);
  expect((await connection.send(messageOf(), WITHIN_MS)).text).toMatch(/^event [\w-]+$/);
  const event = JSON.parse((await taken(moto, String(QueueUrl)))?.Body ?? "null") as Record<string, unknown>;
  expect(event).toMatchObject({ source: "junction", "detail-type": "order.created", detail: JSON.parse(BODY) });
  expect(event["resources"]).toContain(`traceparent: ${HEADERS.traceparent}`);
  expect(event["resources"]).toContain("webhook-id: dlv_1");
  // These are refused with the status 200.
  for (const body of ["not JSON", ""])
    expect(await failureOf(connection.send(messageOf({ body: Buffer.from(body) }), WITHIN_MS))).toMatch(/^send: /);
  const missing = { ...destination, bus: "none" };
  expect(await failureOf(eventbridge.open(deps, missing, hide(moto.secret), WITHIN_MS))).toMatch(/^send: There is no/);
});

describe("sign-in", () => {
  async function refused(of: object, secret = moto.secret): Promise<string> {
    const queue = { QueueName: "signed-in" };
    const { QueueUrl } = await peer.call(moto, "sqs", "create_queue", queue);
    const destination = { ...place(moto), queue_url: String(QueueUrl), ...of };
    return await failureOf(
      sqs.open(deps, destination, hide(secret), WITHIN_MS).then(async ({ send }) => await send(messageOf(), WITHIN_MS)),
    );
  }

  test("a wrong key, a wrong secret and a missing right are distinguished", async () => {
    expect(await refused({})).toBe("it did not fail");
    expect(await refused({ access_key_id: "AKIAUNKNOWN000000000" })).toMatch(
      /^sign_in: Amazon SQS does not know the key AKIAUNKNOWN000000000/,
    );
    const other = await refused({}, "of-another-key");
    expect(other).toMatch(/^sign_in: The secret of `secret_ref` does not belong to the access key/);
    expect(other).not.toContain("of-another-key");
    const { accessKeyId, secret } = moto.powerless;
    expect(await refused({ access_key_id: accessKeyId }, secret)).toMatch(
      /^sign_in: The access key \w+ does not have the right `sqs:SendMessage` on the queue/,
    );
  });

  test("credentials of the environment are never used", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", moto.accessKeyId);
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", moto.secret);
    expect(await refused({}, "of-another-key")).toMatch(/^sign_in/);
    const destination = { ...place(moto), queue_url: "https://sqs.eu-west-1.amazonaws.com/1/q" };
    expect(await failureOf(sqs.open(deps, destination, null, WITHIN_MS))).toMatch(/^sign_in: `secret_ref` names no/);
  });
});
