import { hash } from "node:crypto";
import type { Hidden } from "../../lib/lib.ts";
import type { Exchange } from "../outbound-http/outbound-http.ts";
import { exchangeFault } from "./aws-faults.ts";
import type { AwsAbout } from "./aws-faults.ts";
import { createAwsSigner } from "./aws-signature.ts";
import { BrokerError } from "./broker.ts";
import type { BrokerConnection, BrokerDeps, BrokerMessage, Confirmation } from "./broker.ts";

export type AwsKind = "sqs" | "sns" | "eventbridge" | "s3";

/** The members that every kind of AWS needs. */
export interface AwsDestination {
  readonly region: string;
  /** The URL of a server that speaks the protocol, instead of AWS itself. */
  readonly endpoint_url?: string | null;
  readonly access_key_id: string;
  /** Names the secret access key. */
  readonly secret_ref: string;
}

/** The form of a region, which becomes part of a host name. */
export const AWS_REGION = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/;

export interface AwsRequest {
  readonly method?: "POST" | "PUT" | "GET";
  /** The path after the endpoint, encoded; with a query if there is one. */
  readonly path?: string;
  /** The headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** A status besides 2xx that is an answer and no error. */
  readonly alsoAnswer?: number;
}

export interface AwsAnswer {
  readonly status: number | null;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly address: string | null;
}

export interface AwsClient {
  /** Rejects with `BrokerError` for everything but a 2xx that names no error. */
  call(request: AwsRequest, withinMs: number): Promise<AwsAnswer>;
  /**
   * Reads the destination, so that a wrong key, region or name shows before the first message. A key that may send need not have the right
   * to read: a refusal of that right shows that the signature is valid.
   */
  check(request: AwsRequest, withinMs: number): Promise<void>;
}

export interface AwsTarget extends Omit<AwsAbout, "region" | "accessKeyId"> {
  readonly kind: AwsKind;
  /** The base URL; by default that of the kind. */
  readonly endpoint?: string;
}

const PREFIXES = { sqs: "sqs", sns: "sns", eventbridge: "events", s3: "s3" } as const;

/** Returns the base URL of a kind in a region, without a slash at the end. */
export function awsEndpoint(
  kind: AwsKind,
  { region, endpoint_url: own }: Pick<AwsDestination, "region" | "endpoint_url">,
): string {
  if (own !== undefined && own !== null) return own.replace(/(?<!\/)\/+$/, "");
  const domain = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  return `https://${PREFIXES[kind]}.${region}.${domain}`;
}

/** Throws `BrokerError` if the destination cannot be called at all. */
export function createAwsClient(
  deps: BrokerDeps,
  destination: AwsDestination,
  credential: Hidden | null,
  target: AwsTarget,
): AwsClient {
  const { region, access_key_id: accessKeyId } = destination;
  const { kind, endpoint = awsEndpoint(kind, destination) } = target;
  if (credential === null)
    throw new BrokerError("sign_in", "`secret_ref` names no secret. Store the secret access key, and name it there.");
  if (!AWS_REGION.test(region)) throw new BrokerError("sign_in", `\`region\` is no region of AWS: ${region}.`);
  const about: AwsAbout = { ...target, region, accessKeyId };
  const sign = createAwsSigner({ accessKeyId, secret: credential, region, service: PREFIXES[kind] });

  async function exchange(request: AwsRequest, withinMs: number): Promise<Exchange> {
    const { method = "POST", path = "/", body } = request;
    const url = URL.parse(endpoint + path);
    if (url === null) throw new BrokerError("resolve", "`endpoint_url` is no URL.");
    const bodyHash = hash("sha256", body, "hex");
    const headers = kind === "s3" ? { ...request.headers, "x-amz-content-sha256": bodyHash } : request.headers;
    return await deps.net.send({
      method,
      url: url.href,
      headers: sign({ method, url, headers, bodyHash }, deps.clock.now()),
      body: method === "GET" ? null : body,
      connectTimeoutMs: Math.min(CONNECT_MS, withinMs),
      totalTimeoutMs: withinMs,
    });
  }

  return {
    async call(request, withinMs) {
      const answer = await exchange(request, withinMs);
      const { status, headers, resolvedIp: address } = answer;
      const fault = status !== null && status === request.alsoAnswer ? null : exchangeFault(answer, about);
      if (fault !== null) throw fault.error;
      return { status, text: answer.body.toString(), headers, address };
    },
    async check(request, withinMs) {
      const fault = exchangeFault(await exchange(request, withinMs), about);
      if (fault !== null && !fault.isRight) throw fault.error;
    },
  };
}

const CONNECT_MS = 5000;

/** A connection of a kind whose every message is one request. There is nothing to keep open and to close. */
export function requestConnection(
  send: (message: BrokerMessage, withinMs: number) => Promise<Confirmation>,
): BrokerConnection {
  return { send, isUsable: true, close: async () => await Promise.resolve() };
}

/** Returns the error for a 2xx that does not have what the service answers with. */
export function notConfirmed({ service }: Pick<AwsTarget, "service">, { address }: AwsAnswer): BrokerError {
  return new BrokerError(
    "confirm",
    `The answer is not one of ${service}: it confirms no message. Check \`endpoint_url\`.`,
    address,
  );
}

/** Returns a body as JSON text for the protocols that take it, with the header that names the operation. */
export function jsonRequest(version: "1.0" | "1.1", operation: string, body: object): AwsRequest {
  return {
    headers: { "content-type": `application/x-amz-json-${version}`, "x-amz-target": operation },
    body: JSON.stringify(body),
  };
}
