import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import type { Hidden } from "../../lib/lib.ts";
import { BrokerError } from "./broker.ts";
import type { BrokerConnection, BrokerDeps, BrokerDriver, BrokerMessage, Confirmation } from "./broker.ts";
import { createConversation, safeText } from "./conversation.ts";
import type { Wait } from "./conversation.ts";
import { signInOf } from "./nats-credentials.ts";
import { PING, PONG, createNatsReader, headOf, publication, readInfo } from "./nats-protocol.ts";
import type { Info, Said } from "./nats-protocol.ts";
import { ackSentence, natsSentences } from "./nats-sentences.ts";

export interface NatsDestination {
  /** `tls://host:4222`, or `nats://host:4222` where TLS is the server's choice. They are tried in turn. */
  readonly servers: readonly string[];
  readonly subject: string;
  /** True: a stream confirms each message. False: the server does, and has it in memory only. */
  readonly jetstream: boolean;
  readonly username?: string;
  readonly secret_ref?: string;
}

/**
 * Publishes to JetStream, or to NATS' core. Only the servers of the destination are ever connected to: those that a cluster announces are
 * ignored.
 */
export const nats: BrokerDriver<NatsDestination> = {
  kind: "nats",
  async open(deps, destination, credential, withinMs) {
    const { clock } = deps;
    const startedAt = clock.monotonicMs();
    let failure = new BrokerError("connect", "The destination has no servers.");
    for (const [at, server] of destination.servers.entries()) {
      const leftMs = withinMs - (clock.monotonicMs() - startedAt);
      const shareMs = Math.max(1, leftMs / (destination.servers.length - at));
      try {
        return await openOne(deps, { destination, server, credential }, shareMs);
      } catch (error) {
        failure = error as BrokerError;
      }
    }
    throw failure;
  },
};

interface Target {
  readonly destination: NatsDestination;
  readonly server: string;
  readonly credential: Hidden | null;
}

const PORT = 4222;

async function openOne(deps: BrokerDeps, target: Target, withinMs: number): Promise<BrokerConnection> {
  const { clock } = deps;
  const startedAt = clock.monotonicMs();
  const leftMs = (): number => Math.max(1, withinMs - (clock.monotonicMs() - startedAt));
  const { socket, info } = await greeted(deps, target, leftMs);
  const session = createSession(deps, target, { socket, info });
  try {
    await signIn(session, target, info, leftMs());
  } catch (error) {
    session.talk.fail(error as BrokerError);
    throw error;
  }
  return {
    send: async (message, sendMs) =>
      await send(session, target.destination.jetstream, message, [sendMs, info.max_payload ?? null]),
    get isUsable() {
      return session.talk.failure === null;
    },
    close: async () => await session.talk.end(Buffer.alloc(0)),
  };
}

interface Greeted {
  readonly socket: Socket;
  readonly info: Info;
}

function placeOf(server: string) {
  const url = URL.parse(server);
  if (url === null || !["nats:", "tls:"].includes(url.protocol) || url.hostname === "")
    throw new BrokerError("connect", "The server is not of the form tls://host:4222 or nats://host:4222.");
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? PORT : Number(url.port),
    isSecure: url.protocol === "tls:",
  };
}

/** Connects as far as the credential: after TLS, where there is any. */
async function greeted(deps: BrokerDeps, { server }: Target, leftMs: () => number): Promise<Greeted> {
  const { host, port, isSecure } = placeOf(server);
  const plain = await deps.dial({ host, port, tls: isSecure ? "later" : false, withinMs: leftMs() });
  try {
    const greeting = await readInfo(plain, { withinMs: leftMs(), mayBeSilent: isSecure });
    if (greeting !== null && staysPlain(greeting.info, isSecure)) {
      plain.unshift(greeting.rest);
      return { socket: plain, info: greeting.info };
    }
    // Anyone can have put bytes between the greeting and TLS. They must not be taken for bytes of the server.
    if ((greeting?.rest.length ?? 0) > 0)
      throw new BrokerError(
        "tls",
        "The server said more than its greeting before TLS. Something on the way changes what it says.",
      );
    const socket = await deps.secure(plain, { host, withinMs: leftMs() });
    return { socket, info: greeting?.info ?? (await infoInTls(socket, leftMs())) };
  } catch (error) {
    plain.destroy();
    throw error;
  }
}

function staysPlain(info: Info, isSecure: boolean): boolean {
  return !isSecure && info.tls_required !== true;
}

/** Reads the greeting of a server that speaks TLS from the start. */
async function infoInTls(socket: Socket, withinMs: number): Promise<Info> {
  try {
    const greeting = await readInfo(socket, { withinMs, mayBeSilent: false });
    socket.unshift(greeting?.rest ?? "");
    return greeting?.info ?? {};
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

const KEEP_ALIVE_MS = 30_000;
const INBOX_ID_BYTES = 12;

/** A message that waits for the answer of a stream or of the server. */
interface Pending {
  readonly subject: string;
  readonly wait: Wait<Confirmation>;
}

function createSession(deps: BrokerDeps, { destination, credential }: Target, { socket }: Greeted) {
  const read = createNatsReader();
  const say = natsSentences(destination, () => talk.address);
  const inbox = `_INBOX.${randomBytes(INBOX_ID_BYTES).toString("hex")}.`;
  /** The waiting messages by the last part of the subject to which a stream answers. */
  const asked = new Map<string, Pending>();
  /** The calls that wait for a PONG, in the order of the PINGs; null for those that only keep the connection alive. */
  const pinged: (Pending | null)[] = [];
  let isSignedIn = false;
  let count = 0;

  const clean = (text: string): string => safeText(text, credential?.reveal() ?? null);
  const talk = createConversation({
    clock: deps.clock,
    socket,
    lost: (cause) => say.lost(isSignedIn, clean(cause)),
    nonsense: (cause) => say.nonsense(clean(cause)),
    hear(bytes) {
      for (const said of read(bytes)) if (talk.failure === null) take(said);
    },
  });
  const done = (text: string): Confirmation => ({ text, address: talk.address });

  function take(said: Said): void {
    if (said.verb === "PING") talk.write(PONG);
    else if (said.verb === "PONG") pinged.shift()?.wait.resolve(done("the server has it"));
    else if (said.verb === "-ERR") refused(clean(said.rest.replace(/^'|'$/g, "")));
    else if (said.verb === "MSG" || said.verb === "HMSG") answered(said);
  }

  function answered({ rest, head, body }: Said): void {
    const id = rest.slice(inbox.length, rest.indexOf(" "));
    const wait = asked.get(id)?.wait;
    if (wait === undefined || !rest.startsWith(inbox)) return;
    if (head.startsWith("NATS/1.0 503")) return wait.reject(say.noStream());
    const ack = ackSentence(body);
    if (ack.isStored) wait.resolve(done(clean(ack.text)));
    else wait.reject(say.notStored(clean(ack.text)));
  }

  /** The server says which subject it refuses, but not which message. */
  function refused(text: string): void {
    const error = say.refused(isSignedIn, text);
    const [, subject] = /^Permissions Violation for Publish to "([^"]*)"/.exec(text) ?? [];
    if (subject === undefined) return talk.fail(error);
    for (const one of [...asked.values(), ...pinged]) if (one?.subject === subject) one.wait.reject(error);
  }

  return {
    talk,
    say,
    hasSignedIn: (): void => void (isSignedIn = true),
    beat(): void {
      pinged.push(null);
      talk.write(PING);
    },
    /** Writes, and waits until the server has read it. */
    async flush(subject: string, withinMs: number, bytes: Buffer): Promise<Confirmation> {
      const wait = talk.wait<Confirmation>(withinMs, () => say.unconfirmed(isSignedIn, withinMs));
      pinged.push({ subject, wait });
      talk.write(Buffer.concat([bytes, PING]));
      return await wait.answer;
    },
    /** Writes what `publish` makes, and waits for the answer of a stream. */
    async ask(subject: string, withinMs: number, publish: (reply: string) => Buffer): Promise<Confirmation> {
      count += 1;
      const id = count.toString(36);
      const wait = talk.wait<Confirmation>(withinMs, () => say.unconfirmed(isSignedIn, withinMs));
      asked.set(id, { subject, wait });
      talk.write(publish(inbox + id));
      try {
        return await wait.answer;
      } finally {
        asked.delete(id);
      }
    },
    inbox,
  };
}

type Session = ReturnType<typeof createSession>;

async function signIn(
  session: Session,
  { destination, credential }: Target,
  info: Info,
  withinMs: number,
): Promise<void> {
  const { talk, say, inbox } = session;
  if (info.headers !== true) throw say.noHeaders();
  const who = signInOf(destination.username, credential, info.nonce ?? null);
  const options = { verbose: false, pedantic: false, echo: false, protocol: 1, headers: true, no_responders: true };
  const connect = `CONNECT ${JSON.stringify({ ...options, lang: "node", version: "1", name: "Junction", ...who })}\r\n`;
  await session.flush("", withinMs, Buffer.from(destination.jetstream ? `${connect}SUB ${inbox}* 1\r\n` : connect));
  session.hasSignedIn();
  talk.keepAlive(KEEP_ALIVE_MS, session.beat);
}

async function send(
  session: Session,
  isStreamed: boolean,
  message: BrokerMessage,
  [withinMs, maxPayload]: readonly [number, number | null],
): Promise<Confirmation> {
  const subject = message.path ?? "";
  const head = headOf({ ...message.headers, "Nats-Msg-Id": message.id });
  session.say.check(subject, head.length + message.body.length, maxPayload);
  const publish = (reply: string): Buffer => publication(subject, reply, head, message.body);
  if (isStreamed) return await session.ask(subject, withinMs, publish);
  return await session.flush(subject, withinMs, publish(""));
}
