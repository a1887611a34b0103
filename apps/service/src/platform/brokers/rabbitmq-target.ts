import type { Hidden } from "../../lib/lib.ts";
import { BrokerError } from "./broker.ts";
import type { BrokerStep } from "./broker.ts";
import { seconds } from "./conversation.ts";

/** The parts of a destination. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly vhost: string;
  readonly exchange: string;
  readonly username: string;
  readonly password: string;
}

export interface TargetParts {
  readonly url: string;
  readonly exchange: string;
  readonly username?: string;
}

const PORT = { "amqp:": 5672, "amqps:": 5671 } as const;

/** Without a credential, the user is `guest`, as in every client. Throws `BrokerError`. */
export function targetOf({ url, exchange, username }: TargetParts, credential: Hidden | null): Target {
  const parsed = URL.parse(url);
  const port = PORT[(parsed?.protocol ?? "") as keyof typeof PORT] as number | undefined;
  if (parsed === null || port === undefined || parsed.hostname === "")
    throw new BrokerError("connect", "The URL is not of the form amqps://host:5671/vhost.");
  return {
    host: parsed.hostname.replace(/^\[|\]$/g, ""),
    port: parsed.port === "" ? port : Number(parsed.port),
    tls: parsed.protocol === "amqps:",
    vhost: vhostOf(parsed.pathname),
    exchange,
    ...userOf(username, credential),
  };
}

function vhostOf(path: string): string {
  try {
    return decodeURIComponent(path.slice(1)) || "/";
  } catch {
    throw new BrokerError("connect", "The vhost in the URL is not percent-encoded.");
  }
}

function userOf(username: string | undefined, credential: Hidden | null): Pick<Target, "username" | "password"> {
  if (credential === null) return { username: username ?? "guest", password: username === undefined ? "guest" : "" };
  const secret = credential.reveal();
  if (username !== undefined) return { username, password: secret };
  const colon = secret.indexOf(":");
  if (colon === -1)
    throw new BrokerError(
      "sign_in",
      "The destination has no user name, so its secret must be of the form user:password.",
    );
  return { username: secret.slice(0, colon), password: secret.slice(colon + 1) };
}

// AMQP's reply codes.
const ACCESS_REFUSED = 403;
const NOT_FOUND = 404;
const PRECONDITION_FAILED = 406;
const CONNECTION_FORCED = 320;
const NOT_ALLOWED = 530;

/** The faults of a target, in sentences that say what to do. */
export function sentencesFor(target: Target, addressOf: () => string | null) {
  const failed = (step: BrokerStep, sentence: string): BrokerError => new BrokerError(step, sentence, addressOf());
  return {
    ...connectionSentences(target, failed),
    ...messageSentences(target, failed),
    closed: closedSentence(target, failed),
  };
}

type Failed = (step: BrokerStep, sentence: string) => BrokerError;

function placeOf({ exchange, vhost }: Target): string {
  return `${exchange === "" ? "the default exchange" : `the exchange ${exchange}`} in the vhost ${vhost}`;
}

function connectionSentences({ username }: Target, failed: Failed) {
  return {
    lost: (step: BrokerStep, cause: string) =>
      step === "sign_in"
        ? failed(
            step,
            `The connection ended before RabbitMQ let the user ${username} in: ${cause}. Check the address, the user and the password.`,
          )
        : failed(step, `The connection ended before RabbitMQ confirmed the message: ${cause}. Its log says why.`),
    silent: (step: BrokerStep, withinMs: number) =>
      failed(
        step,
        `RabbitMQ did not answer within ${seconds(withinMs)}. Check that it is up and that the port is its AMQP port.`,
      ),
    noPassword: (mechanisms: string) =>
      failed(
        "sign_in",
        `RabbitMQ does not take passwords (PLAIN), only: ${mechanisms}. Allow PLAIN in auth_mechanisms.`,
      ),
    /** For a port that speaks something else. */
    nonsense: (start: Buffer, cause: string) => {
      if (start[0] === TLS_ALERT && start[1] === TLS_MAJOR)
        return failed("connect", "The port speaks TLS. Use amqps:// in the URL.");
      if (start.toString("latin1", 0, 4) === "AMQP")
        return failed("connect", "The broker does not speak AMQP 0-9-1. RabbitMQ does; AMQP 1.0 is another protocol.");
      return failed(
        "connect",
        `The port does not speak AMQP 0-9-1 as RabbitMQ does (${cause}). Check the port: 5671 with TLS, else 5672.`,
      );
    },
  };
}

function messageSentences(target: Target, failed: Failed) {
  const place = placeOf(target);
  return {
    /** For the log of deliveries. */
    confirmed: `confirmed by ${place}`,
    unconfirmed: (blocked: string | null, withinMs: number) =>
      failed(
        "confirm",
        blocked === null
          ? `RabbitMQ did not confirm the message within ${seconds(withinMs)}. Check the queues that take it, and the disk. It may have arrived.`
          : `RabbitMQ takes no messages now (${blocked}). Free memory or disk there; deliveries are retried.`,
      ),
    refused: () =>
      failed(
        "confirm",
        `RabbitMQ could not store the message in all queues of ${place}. A queue may be full, or a node of it down.`,
      ),
    unroutable: (reason: string) =>
      failed(
        "confirm",
        `No queue takes the message (${reason}). Bind a queue to ${place} for this routing key, or give it an alternate exchange.`,
      ),
  };
}

/** Returns the sentence for a connection or channel that RabbitMQ closed, by AMQP's reply code. */
function closedSentence(target: Target, failed: Failed) {
  const { vhost, username } = target;
  const place = placeOf(target);
  const sentences: Record<string, (text: string) => string> = {
    [`sign_in ${ACCESS_REFUSED}`]: () =>
      `RabbitMQ refused the user ${username} or the password. Check both, and whether guest may only connect locally.`,
    [`sign_in ${NOT_ALLOWED}`]: (text) =>
      `RabbitMQ refused the vhost ${vhost}: ${text}. Create it, or give the user ${username} permissions in it.`,
    [ACCESS_REFUSED]: (text) =>
      `The user ${username} may not write to ${place}: ${text}. Give it the permission to write.`,
    [NOT_FOUND]: () =>
      `There is no exchange ${target.exchange} in the vhost ${vhost}. Create it, or correct the destination.`,
    [PRECONDITION_FAILED]: (text) => `RabbitMQ refused the message: ${text}. Make it smaller, or raise the limit.`,
    [CONNECTION_FORCED]: (text) => `RabbitMQ ended the connection: ${text}. The next attempt opens another.`,
  };
  return (step: BrokerStep, code: number, text: string): BrokerError => {
    const sentence = sentences[`${step} ${code}`] ?? sentences[code];
    return failed(step, sentence?.(text) ?? `RabbitMQ ended the connection with ${code}: ${text}.`);
  };
}

const TLS_ALERT = 0x15;
const TLS_MAJOR = 3;
