import { once } from "node:events";
import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { hide, systemClock } from "../../lib/lib.ts";
import { createNet, parseAllowTargets } from "../outbound-http/outbound-http.ts";
import { BrokerError } from "./broker.ts";
import type { BrokerConnection, BrokerDeps, BrokerMessage } from "./broker.ts";
import { eventbridge } from "./eventbridge.ts";
import { s3 } from "./s3.ts";
import { sns } from "./sns.ts";
import { sqs } from "./sqs.ts";

const SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const net = createNet({
  clock: systemClock,
  allow: parseAllowTargets("127.0.0.1/32"),
  inbox: null,
  dnsServers: null,
});
const noSocket = async () => await Promise.reject(new Error("no AWS kind opens a socket of its own"));
const deps: BrokerDeps = { net, clock: systemClock, dial: noSocket, secure: noSocket };
afterAll(async () => {
  await net.close();
});

const KINDS = ["sqs", "sns", "eventbridge", "s3"] as const;
type Kind = (typeof KINDS)[number];

async function opened(kind: Kind, endpoint_url: string | null, withinMs = 5000): Promise<BrokerConnection> {
  const base = { region: "eu-west-1", endpoint_url, access_key_id: "AKIDEXAMPLE", secret_ref: "aws" };
  const drivers = {
    sqs: async () => await sqs.open(deps, { ...base, queue_url: "https://q.test/1/q" }, hide(SECRET), withinMs),
    sns: async () => await sns.open(deps, { ...base, topic_arn: "arn:t" }, hide(SECRET), withinMs),
    eventbridge: async () => await eventbridge.open(deps, { ...base, bus: "b", source: "s" }, hide(SECRET), withinMs),
    s3: async () => {
      const batch = { bucket: "b", prefix: "", max_items: 1, max_wait_seconds: 1 };
      return await s3.open(deps, { ...base, ...batch }, hide(SECRET), withinMs);
    },
  };
  return await drivers[kind]();
}

const message: BrokerMessage = { id: "dlv_1", path: null, key: null, headers: {}, body: Buffer.from("{}") };

/** Starts a server that takes the first request, which checks the destination, and then answers as the test says. */
async function startHostile(answer: RequestListener): Promise<string> {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    request.on("error", () => undefined).resume();
    if (requests === 1) response.end("{}");
    else answer(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
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

async function sent(kind: Kind, answer: RequestListener, withinMs = 5000): Promise<string> {
  const connection = await opened(kind, await startHostile(answer));
  return await failureOf(connection.send(message, withinMs));
}

test.each(KINDS)("%s: an answer that confirms nothing is a failed attempt", async (kind) => {
  const rubbish = ["", "ok", "{}", "[]", "null", "<", "<Error>", `{"MessageId":7}`, "{".repeat(60_000), "\0\xff"];
  for (const text of [...rubbish, `{"Entries":[null]}`, `{"FailedEntryCount":0,"Entries":[]}`])
    expect(await sent(kind, (_, response) => response.end(text))).toMatch(/^confirm: The answer is not one of/);
});

test.each(KINDS)("%s: an error in an answer of 200 is a failed attempt", async (kind) => {
  const xml = `<?xml version="1.0"?><Error><Code>InternalError</Code><Message>We had a fault</Message></Error>`;
  const json = `{"__type":"com.amazonaws#InternalFailure","message":"We had a fault"}`;
  for (const text of [xml, json])
    expect(await sent(kind, (_, response) => response.setHeader("etag", '"e"').end(text))).toMatch(
      /^confirm: .* has a fault of its own\. The retry schedule goes on\. It said: "Internal\w+: We had a fault"$/,
    );
});

test.each(KINDS)("%s: redirects are not followed, wherever they lead", async (kind) => {
  for (const location of ["http://169.254.169.254/latest/meta-data/", "https://sqs.us-east-1.amazonaws.com/"]) {
    const failure = await sent(kind, (_, response) => response.writeHead(307, { location }).end());
    expect(failure).toMatch(/^confirm: The server redirects \(HTTP 307\), which is not followed\./);
  }
});

test.each(KINDS)("%s: a slow, an endless and a huge answer end in time", async (kind) => {
  const silent: RequestListener = () => undefined;
  expect(await sent(kind, silent, 400)).toMatch(
    /^confirm: .* confirmed nothing: no response within .* may write it again\./,
  );
  const endless: RequestListener = (_, response) => response.writeHead(200, { etag: '"e"' }).write("{");
  expect(await sent(kind, endless, 400)).toMatch(/^confirm: The answer of .* did not end/);
  const huge: RequestListener = (_, response) => {
    response.on("error", () => undefined).writeHead(200, { etag: '"e"' });
    response.end(Buffer.alloc(4 * 1024 * 1024, " "));
  };
  expect(await sent(kind, huge)).toMatch(/^confirm: The answer is far larger/);
});

test.each(KINDS)("%s: an address that is not public is refused by the guard", async (kind) => {
  for (const url of ["http://169.254.169.254", "https://10.0.0.1", "https://[fd00:ec2::254]", "http://[::1]:1"])
    expect(await failureOf(opened(kind, url))).toMatch(/^guard: .*JUNCTION_ALLOW_TARGETS/);
  expect(await failureOf(opened(kind, "http://127.0.0.1:1"))).toMatch(/^connect: .* was not reached: connect ECONNREF/);
  expect(await failureOf(opened(kind, "no URL"))).toMatch(/^resolve: `endpoint_url` is no URL/);
});

const refusals: readonly (readonly [code: string, status: number, sentence: RegExp])[] = [
  ["InvalidClientTokenId", 403, /^sign_in: .* does not know the key AKIDEXAMPLE/],
  ["SignatureDoesNotMatch", 403, /^sign_in: The secret of `secret_ref` does not belong/],
  ["ExpiredToken", 403, /^sign_in: The credential AKIDEXAMPLE has expired/],
  ["RequestTimeTooSkewed", 403, /^sign_in: The clocks of this node .* Set the clock/],
  ["AccessDenied", 403, /^sign_in: The access key AKIDEXAMPLE does not have the right/],
  ["KmsDisabled", 400, /^sign_in: The KMS key of/],
  ["QueueDoesNotExist", 400, /^send: There is no such destination in the region eu-west-1/],
  ["NoSuchBucket", 404, /^send: There is no such destination/],
  ["Throttling", 400, /^confirm: .* limits the rate of the account/],
  ["SlowDown", 503, /^confirm: .* limits the rate of the account/],
  ["InternalFailure", 500, /^confirm: .* has a fault of its own/],
  ["MessageTooLong", 400, /^send: The message is larger than/],
  ["InvalidParameterValue", 400, /^send: .* refused the message\. It said: "InvalidParameterValue: why"$/],
];

test.each(refusals)("%s is reported in a sentence that says what to do", async (code, status, sentence) => {
  const json = JSON.stringify({ __type: `com.amazonaws.sqs#${code}`, message: "why" });
  const xml = `<ErrorResponse><Error><Code>${code}</Code><Message>why</Message></Error></ErrorResponse>`;
  for (const kind of KINDS)
    for (const text of [json, xml])
      expect(await sent(kind, (_, response) => response.writeHead(status).end(text))).toMatch(sentence);
});

test("a bucket of another region is reported with its region", async () => {
  const answer: RequestListener = (_, response) =>
    response
      .writeHead(301, { "x-amz-bucket-region": "us-west-2" })
      .end("<Error><Code>PermanentRedirect</Code><Message>m</Message><Endpoint>x</Endpoint></Error>");
  expect(await sent("s3", answer)).toMatch(/^send: The region of the bucket b is us-west-2, not eu-west-1\. Correct/);
});

test("what a server repeats of the request is not in the log", async () => {
  const answer: RequestListener = ({ headers }, response) =>
    response.writeHead(400).end(JSON.stringify({ __type: "Odd", message: `${headers.authorization}\n\u0007` }));
  const failure = await sent("sqs", answer);
  expect(failure).toContain("Signature=[redacted]");
  expect(failure).not.toMatch(/[0-9a-f]{64}|\p{C}/u);
});
