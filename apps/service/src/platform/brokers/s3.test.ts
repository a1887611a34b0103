import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createIdMaker, hide, newTag, systemClock, wireId } from "../../lib/lib.ts";
import { startAwsPeer, startMoto, startVersityGateway } from "../../testing/aws.ts";
import type { AwsPeer, AwsServer } from "../../testing/aws.ts";
import { createNet, parseAllowTargets } from "../outbound-http/outbound-http.ts";
import { startNameServer } from "../../testing/name-server.ts";
import { BrokerError } from "./broker.ts";
import type { BrokerConnection, BrokerDeps, BrokerMessage } from "./broker.ts";
import { s3 } from "./s3.ts";
import type { S3Destination } from "./s3.ts";

const WITHIN_MS = 15_000;
const net = createNet({
  clock: systemClock,
  allow: parseAllowTargets("127.0.0.1/32"),
  inbox: null,
  dnsServers: null,
});
const noSocket = async () => await Promise.reject(new Error("no AWS kind opens a socket of its own"));
const deps: BrokerDeps = { net, clock: systemClock, dial: noSocket, secure: noSocket };
const ids = createIdMaker(systemClock);
const tag = newTag();

let peer: AwsPeer;
let moto: AwsServer;
let versity: AwsServer;
beforeAll(async () => {
  peer = await startAwsPeer();
  [moto, versity] = await Promise.all([startMoto(peer), startVersityGateway()]);
}, 600_000);
afterAll(async () => {
  await Promise.all([moto.stop(), versity.stop(), peer.stop(), net.close()]);
});

function messageOf(of: Partial<BrokerMessage> = {}): BrokerMessage {
  const id = wireId("dlv", tag, ids.uuid());
  return { id, path: "events/", key: null, headers: { "webhook-id": id }, body: Buffer.from("{}"), ...of };
}

describe.each([
  ["moto", () => moto],
  ["Versity's gateway", () => versity],
] as const)("S3, as %s implements it", (_, serverOf) => {
  let buckets = 0;
  async function bucket(): Promise<string> {
    buckets += 1;
    const Bucket = `events-${buckets}`;
    const CreateBucketConfiguration = { LocationConstraint: "eu-west-1" };
    await peer.call(serverOf(), "s3", "create_bucket", { Bucket, CreateBucketConfiguration });
    return Bucket;
  }

  async function connected(of: Partial<S3Destination>): Promise<BrokerConnection> {
    const server = serverOf();
    const place = { region: "eu-west-1", endpoint_url: server.url, access_key_id: server.accessKeyId, secret_ref: "s" };
    const destination = { ...place, bucket: "none", prefix: "", max_items: 100, max_wait_seconds: 1, ...of };
    return await s3.open(deps, destination, hide(server.secret), WITHIN_MS);
  }

  /** Reads all objects of a bucket with boto3: their lines by name. */
  async function objects(Bucket: string): Promise<Record<string, unknown[]>> {
    const { Contents = [] } = (await peer.call(serverOf(), "s3", "list_objects_v2", { Bucket })) as {
      Contents?: { Key: string }[];
    };
    const read: Record<string, unknown[]> = {};
    for (const { Key } of Contents) {
      const { Body } = await peer.call(serverOf(), "s3", "get_object", { Bucket, Key });
      const text = gunzipSync(Buffer.from(String(Body), "base64")).toString();
      expect(text.endsWith("\n")).toBe(true);
      read[Key] = text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown);
    }
    return read;
  }

  test("a full batch is one object with the exact bodies and headers", async () => {
    const name = await bucket();
    const connection = await connected({ bucket: name, max_items: 4, max_wait_seconds: 10 });
    const bodies = ['{\n"big":12345678901234567890,"ü":"\u{1F600}\uFFFE"}\r\n', "", "\u2028", Buffer.from([0xff, 0])];
    const messages = bodies.map((body) => messageOf({ body: Buffer.from(body), headers: { "X-A": "ü", b: "" } }));
    const confirmed = await Promise.all(messages.map(async (each) => await connection.send(each, WITHIN_MS)));
    const written = await objects(name);
    const [key = ""] = Object.keys(written);
    expect(new Set(confirmed.map(({ text }) => text))).toEqual(new Set([`object ${key}`]));
    expect(key).toMatch(/^events\/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-[0-9a-f]{32}\.jsonl\.gz$/);
    const headers = { "x-a": "ü", b: "" };
    expect(written[key]).toEqual([
      { headers, body: bodies[0] },
      { headers, body: "" },
      { headers, body: "\u2028" },
      { headers, body_base64: "/wA=" },
    ]);
  });

  test("an object is written when its first message has waited, for each prefix", async () => {
    const name = await bucket();
    const connection = await connected({ bucket: name });
    const paths = ["a/", "a/", "b c+ü'/(*)~%2F\u0001/", "../../other/./", null];
    await Promise.all(paths.map(async (path) => await connection.send(messageOf({ path }), WITHIN_MS)));
    const folders = Object.entries(await objects(name)).map(([key, lines]) => {
      return `${key.slice(0, key.lastIndexOf("/") + 1)} ${lines.length}`;
    });
    expect(folders.toSorted()).toEqual(["a/ 2", "b c+ü'/(*)~%2F_/ 1", "_/_/other/_/ 1", " 1"].toSorted());
  });

  test("a batch that is repeated leaves one object, as it was", async () => {
    const name = await bucket();
    const messages = [messageOf(), messageOf()];
    const send = async (order: readonly BrokerMessage[], timestamp: string) => {
      const connection = await connected({ bucket: name, max_items: 2 });
      const stamped = order.map((each) => ({ ...each, headers: { timestamp } }));
      return await Promise.all(stamped.map(async (each) => await connection.send(each, WITHIN_MS)));
    };
    const first = await send(messages, "1");
    expect(await send(messages.toReversed(), "2")).toEqual(first);
    const written = await objects(name);
    expect(Object.values(written)).toEqual([messages.map(() => ({ headers: { timestamp: "1" }, body: "{}" }))]);
    const changed = messages.map((each) => ({ ...each, body: Buffer.from('{"a":1}') }));
    expect(await send(changed, "3")).not.toEqual(first);
  });

  test("closing writes what waits", async () => {
    const name = await bucket();
    const connection = await connected({ bucket: name, max_wait_seconds: 10 });
    const sending = connection.send(messageOf(), WITHIN_MS);
    await connection.close();
    await sending;
    expect(Object.keys(await objects(name))).toHaveLength(1);
  });

  test("a missing bucket and a wrong secret are reported", async () => {
    expect(await failureOf(connected({ bucket: "not-there" }))).toMatch(/^send: There is no such destination .*bucket/);
    const { url: endpoint_url, accessKeyId: access_key_id } = serverOf();
    const place = { region: "eu-west-1", endpoint_url, access_key_id, secret_ref: "s" };
    const destination = { ...place, bucket: await bucket(), prefix: "", max_items: 1, max_wait_seconds: 1 };
    expect(await failureOf(s3.open(deps, destination, hide("wrong"), WITHIN_MS))).toMatch(/^sign_in: The secret of/);
  });
});

test("every message of an unwritten batch fails, and none waits beyond its time", async () => {
  const server = createServer((request, response) => {
    request.resume();
    if (request.method === "GET") response.end();
    else if (request.url?.includes("/fails/") === true) response.writeHead(503).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const destination = {
    region: "eu-west-1",
    endpoint_url,
    access_key_id: "A",
    secret_ref: "s",
    bucket: "b",
    prefix: "",
  };
  const connection = await s3.open(deps, { ...destination, max_items: 3, max_wait_seconds: 600 }, hide("s"), WITHIN_MS);
  const failing = [1, 2, 3].map(async () => await failureOf(connection.send(messageOf({ path: "fails/" }), WITHIN_MS)));
  for (const failure of await Promise.all(failing))
    expect(failure).toMatch(/^confirm: S3 has a fault of its own \(HTTP 503/);
  expect(await failureOf(connection.send(messageOf(), 400))).toMatch(
    /^confirm: S3 confirmed nothing: no response within/,
  );
  const long = messageOf({ path: "ü".repeat(451) });
  expect(await failureOf(connection.send(long, WITHIN_MS))).toMatch(/^send: The rendered `prefix` is longer/);
  await connection.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test("AWS has a host for each bucket whose name is one label", async () => {
  const dns = await startNameServer();
  const inside = createNet({ clock: systemClock, allow: [], inbox: null, dnsServers: [dns.address] });
  const destination = { region: "eu-west-1", access_key_id: "A", secret_ref: "s", prefix: "", max_items: 1 };
  for (const bucket of ["my-bucket", "my.bucket"]) {
    const opening = s3.open({ ...deps, net: inside }, { ...destination, bucket, max_wait_seconds: 1 }, hide("s"), 5000);
    expect(await failureOf(opening)).toMatch(/^resolve: S3 was not reached/);
  }
  const hosts = new Set(dns.questions.map((question) => question.split(" ")[1]));
  expect(hosts).toEqual(new Set(["my-bucket.s3.eu-west-1.amazonaws.com", "s3.eu-west-1.amazonaws.com"]));
  await Promise.all([inside.close(), dns.close()]);
});

async function failureOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (error instanceof BrokerError) return `${error.step}: ${error.message}`;
    return `no BrokerError: ${String(error)}`;
  }
  return "it did not fail";
}
