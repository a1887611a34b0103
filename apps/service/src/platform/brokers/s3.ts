import { createHash, hash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { parseId, toRfc3339, uuidTime } from "../../lib/lib.ts";
import { awsEndpoint, createAwsClient, notConfirmed } from "./aws-client.ts";
import type { AwsClient, AwsDestination, AwsTarget } from "./aws-client.ts";
import { utf8Of } from "./aws-message.ts";
import { encodeStrictly } from "./aws-signature.ts";
import { BrokerError } from "./broker.ts";
import type { BrokerDriver, BrokerMessage, Confirmation } from "./broker.ts";
import { createBatches } from "./s3-batches.ts";
import type { BatchedMessage } from "./s3-batches.ts";

export interface S3Destination extends AwsDestination {
  readonly bucket: string;
  /** A template. The messages of one object have the same rendered prefix. */
  readonly prefix: string;
  /** The messages of one object at most. */
  readonly max_items: number;
  /** The time until the object of a message is written at the latest: at most `MAX_WAIT_SECONDS`. */
  readonly max_wait_seconds: number;
}

/** An attempt ends within 15 s, and the object must be written within it. */
export const MAX_WAIT_SECONDS = 10;

/** S3 takes 1024 bytes of a name. The rest is for what follows the prefix. */
const PREFIX_BYTES = 900;
const zip = promisify(gzip);

/**
 * Objects of JSON lines in a bucket of S3, compressed. `send` resolves when the object of its batch is written. The name of an object
 * comes from the ids and bodies in it, and an object is never written over: of a batch that is repeated as it was, one object remains.
 */
export const s3: BrokerDriver<S3Destination> = {
  kind: "s3",
  async open(deps, destination, credential, withinMs) {
    const { bucket, max_items: maxItems, max_wait_seconds: maxWait } = destination;
    const { endpoint, path } = placeOf(destination);
    const target: AwsTarget = {
      kind: "s3",
      service: "S3",
      name: `the bucket ${bucket}`,
      member: "bucket",
      right: "s3:PutObject",
      endpoint,
    };
    const client = createAwsClient(deps, destination, credential, target);
    await client.check({ method: "GET", path: `${path}/?location=`, headers: {}, body: "" }, withinMs);
    const batches = createBatches({
      maxItems,
      maxWaitMs: Math.min(maxWait, MAX_WAIT_SECONDS) * 1000,
      now: () => deps.clock.monotonicMs(),
      write: async (prefix, messages, writeWithinMs) =>
        await writeObject({ client, target, path }, { prefix, messages }, writeWithinMs),
    });
    return {
      isUsable: true,
      send: async (message, sendWithinMs) =>
        await batches.add(prefixOf(message), { message, line: lineOf(message) }, sendWithinMs),
      close: batches.close,
    };
  },
};

/** Returns where the objects of a bucket are: on a host of its own, which only AWS has, or in a folder of the endpoint. */
function placeOf(destination: S3Destination): { readonly endpoint: string; readonly path: string } {
  const { bucket, endpoint_url: own } = destination;
  const endpoint = awsEndpoint("s3", destination);
  // The certificates of AWS are for one label before the region.
  const isHost = (own ?? null) === null && /^[a-z0-9-]+$/.test(bucket);
  return isHost
    ? { endpoint: endpoint.replace("//", `//${bucket}.`), path: "" }
    : { endpoint, path: `/${encodeStrictly(bucket)}` };
}

/** Returns the rendered prefix as names of S3 and URLs can have it. Throws `BrokerError` for one that is too long. */
function prefixOf({ path }: BrokerMessage): string {
  const segments = (path ?? "")
    .replaceAll(/\p{C}/gu, "_")
    .split("/")
    // A URL is shortened by these, and would name another object, or another bucket.
    .map((segment) => (/^\.{1,2}$/.test(segment) ? "_" : segment));
  const prefix = segments.join("/");
  if (Buffer.byteLength(prefix) > PREFIX_BYTES)
    throw new BrokerError("send", `The rendered \`prefix\` is longer than ${PREFIX_BYTES} bytes. Use shorter values.`);
  return prefix;
}

function lineOf({ headers, body }: BrokerMessage): Buffer {
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const text = utf8Of(body);
  const content = text === null ? { body_base64: body.toString("base64") } : { body: text };
  return Buffer.from(`${JSON.stringify({ headers: named, ...content })}\n`);
}

interface Bucket {
  readonly client: AwsClient;
  readonly target: AwsTarget;
  readonly path: string;
}

interface Group {
  readonly prefix: string;
  readonly messages: readonly BatchedMessage[];
}

async function writeObject({ client, target, path }: Bucket, group: Group, withinMs: number): Promise<Confirmation> {
  // The same deliveries give the same object, regardless of the order in which they arrived.
  const messages = group.messages.toSorted((one, other) => (one.message.id < other.message.id ? -1 : 1));
  const key = `${group.prefix}${nameOf(messages)}.jsonl.gz`;
  const body = await zip(Buffer.concat(messages.map(({ line }) => line)));
  const answer = await client.call(
    {
      method: "PUT",
      path: `${path}/${key.split("/").map(encodeStrictly).join("/")}`,
      headers: {
        "content-type": "application/gzip",
        // Buckets with a retention of objects ask for it.
        "content-md5": hash("md5", body, "base64"),
        "if-none-match": "*",
      },
      body,
      alsoAnswer: PRECONDITION_FAILED,
    },
    withinMs,
  );
  const isWritten =
    answer.status === PRECONDITION_FAILED
      ? answer.text.includes("<Code>PreconditionFailed</Code>")
      : answer.headers["etag"] !== undefined;
  if (!isWritten) throw notConfirmed(target, answer);
  return { text: `object ${key}`, address: answer.address };
}

/** There is an object with this name, so that an earlier attempt wrote it. */
const PRECONDITION_FAILED = 412;

/** Returns the time of the first delivery, and a digest of the deliveries and their bodies. */
function nameOf(messages: readonly BatchedMessage[]): string {
  const digest = createHash("sha256");
  for (const { message } of messages) digest.update(`${message.id} ${message.body.length} `).update(message.body);
  const first = parseId(messages[0]?.message.id ?? "");
  const time = first === undefined ? "" : `${toRfc3339(uuidTime(first.uuid)).replaceAll(":", "-")}-`;
  return `${time}${digest.digest("hex").slice(0, 32)}`;
}
