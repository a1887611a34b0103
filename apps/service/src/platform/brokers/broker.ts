import type { Socket } from "node:net";
import type { Clock, Hidden } from "../../lib/lib.ts";
import type { Net } from "../outbound-http/outbound-http.ts";

/** The kinds of destinations that are not HTTP. Contract section 15. */
export const BROKER_KINDS = ["kafka", "rabbitmq", "nats", "sqs", "sns", "eventbridge", "s3"] as const;
export type BrokerKind = (typeof BROKER_KINDS)[number];

/** One message: the body and the headers of the POST that a webhook endpoint would get. */
export interface BrokerMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The rendered subject, routing key or prefix; null for kinds that have none. */
  readonly path: string | null;
  /** The partition key, which is also the group of an SQS FIFO queue; null for none. */
  readonly key: string | null;
  /** The delivery's id, which is the same at each attempt. */
  readonly id: string;
}

/** The steps in which an attempt can fail, in their order. `proxy`: the egress proxy failed, which says nothing about the broker. */
export type BrokerStep = "proxy" | "resolve" | "guard" | "connect" | "tls" | "sign_in" | "send" | "confirm";

/** The fault of a step, as a sentence that says what to do. Its text never contains a credential. */
export class BrokerError extends Error {
  readonly step: BrokerStep;
  /** The address that was connected to, if there was one. */
  readonly address: string | null;

  constructor(step: BrokerStep, message: string, address: string | null = null) {
    super(message);
    this.name = "BrokerError";
    this.step = step;
    this.address = address;
  }
}

export interface Confirmation {
  /** The broker's answer, for the delivery log, such as `orders[3] at offset 1042`. */
  readonly text: string;
  readonly address: string | null;
}

/** An open, signed-in connection, or several to one cluster. */
export interface BrokerConnection {
  /** Resolves when the broker has confirmed the message. Rejects with `BrokerError` only, within `withinMs`. Many calls can wait at once. */
  send(message: BrokerMessage, withinMs: number): Promise<Confirmation>;
  /** False when the connection can no longer confirm anything. It is then closed, and the next attempt opens another. */
  readonly isUsable: boolean;
  close(): Promise<void>;
}

export interface Dialed {
  readonly host: string;
  readonly port: number;
  /**
   * True: speaks TLS at once, with the name checked against the certificate. `later`: the broker greets before TLS, so the driver calls
   * `secure` before it sends a credential or a message. The guard allows connections without TLS only to the installation's own targets.
   */
  readonly tls: boolean | "later";
  readonly withinMs: number;
}

/**
 * Connects to an address that a customer or a broker named: it is resolved and judged by the guard for each connection, and goes through the
 * egress proxy where there is one. Rejects with `BrokerError` only.
 */
export type Dial = (to: Dialed) => Promise<Socket>;

/** Begins TLS on a socket that was dialed with `later`. Rejects with `BrokerError` only, and destroys the socket then. */
export type Secure = (socket: Socket, to: Pick<Dialed, "host" | "withinMs">) => Promise<Socket>;

export interface BrokerDeps {
  /** For kinds that speak a protocol of their own. */
  readonly dial: Dial;
  readonly secure: Secure;
  /** For kinds that speak HTTP. */
  readonly net: Pick<Net, "send">;
  readonly clock: Clock;
}

/** One kind of broker. Its library is loaded at the first call. */
export interface BrokerDriver<Destination> {
  readonly kind: BrokerKind;
  /** Connects and signs in. Rejects with `BrokerError` only, within `withinMs`. */
  open(
    deps: BrokerDeps,
    destination: Destination,
    credential: Hidden | null,
    withinMs: number,
  ): Promise<BrokerConnection>;
}
