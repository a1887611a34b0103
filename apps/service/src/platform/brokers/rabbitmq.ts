import type { Socket } from "node:net";
import type { Clock } from "../../lib/lib.ts";
import { createConfirms } from "./amqp-confirms.ts";
import {
  FRAME,
  FRAME_MAX,
  HEARTBEAT,
  METHOD,
  PROTOCOL_HEADER,
  createFrameReader,
  fieldsOf,
  long,
  messageIdOf,
  methodFrame,
  publishFrames,
  short,
  table,
  u16,
  u32,
  u8,
} from "./amqp-frames.ts";
import type { Fields, Frame } from "./amqp-frames.ts";
import { BrokerError } from "./broker.ts";
import type { BrokerDriver, BrokerMessage, Confirmation } from "./broker.ts";
import { createConversation, safeText } from "./conversation.ts";
import type { Wait } from "./conversation.ts";
import { sentencesFor, targetOf } from "./rabbitmq-target.ts";
import type { Target } from "./rabbitmq-target.ts";

export interface RabbitmqDestination {
  /** `amqps://host:5671/vhost`, without a user. */
  readonly url: string;
  /** Empty for the default exchange, whose routing keys are names of queues. */
  readonly exchange: string;
  readonly routing_key: string;
  readonly username?: string;
  readonly secret_ref?: string;
}

/**
 * Publishes to an exchange with confirms: a confirmed message is in each queue that takes it, and at least one does. A connection has one
 * channel. The libraries for AMQP open their sockets themselves, past the guard, so the part of AMQP 0-9-1 that a publisher needs is here.
 */
export const rabbitmq: BrokerDriver<RabbitmqDestination> = {
  kind: "rabbitmq",
  async open({ dial, clock }, destination, credential, withinMs) {
    const target = targetOf(destination, credential);
    const startedAt = clock.monotonicMs();
    const { host, port, tls } = target;
    const socket = await dial({ host, port, tls, withinMs });
    const session = createSession({ clock, socket, target });
    try {
      await signIn(session, target, () => Math.max(0, withinMs - (clock.monotonicMs() - startedAt)));
    } catch (error) {
      // The fields of an answer can end early.
      const failure = error instanceof BrokerError ? error : session.say.nonsense(session.greeting(), String(error));
      session.talk.fail(failure);
      throw failure;
    }
    return {
      send: async (message, sendMs) => await publish(session, target.exchange, message, sendMs),
      get isUsable() {
        return session.talk.failure === null;
      },
      close: async () => await session.talk.end(methodFrame(0, METHOD.connectionClose, u16(SUCCESS), u8(0), u32(0))),
    };
  },
};

interface SessionDeps {
  readonly clock: Clock;
  readonly socket: Socket;
  readonly target: Target;
}

type Session = ReturnType<typeof createSession>;

const CHANNEL = 1;
const SUCCESS = 200;
/** How much of a strange greeting is kept. */
const GREETING_BYTES = 16;

function createSession({ clock, socket, target }: SessionDeps) {
  const read = createFrameReader();
  const say = sentencesFor(target, () => talk.address);
  const state = {
    step: "sign_in" as "sign_in" | "send" | "confirm",
    frameMax: FRAME_MAX,
    /** Why the broker takes no messages; null while it does. */
    blocked: null as string | null,
  };
  let greeting: Buffer | null = null;
  let expected: { readonly method: number; readonly wait: Wait<Fields> } | null = null;
  let returning = "";
  const heard = (): Buffer => greeting ?? Buffer.alloc(0);

  const talk = createConversation({
    clock,
    socket,
    lost: (cause) => say.lost(state.step, safeText(cause, target.password)),
    nonsense: (cause) => say.nonsense(heard(), cause),
    hear(bytes) {
      greeting ??= Buffer.from(bytes.subarray(0, GREETING_BYTES));
      for (const frame of read(bytes)) if (talk.failure === null) take(frame);
    },
  });
  const confirms = createConfirms<Confirmation>({
    confirmed: () => ({ text: say.confirmed, address: talk.address }),
    unroutable: say.unroutable,
    refused: say.refused,
  });

  function take({ type, payload }: Frame): void {
    if (type === FRAME.header) confirms.returned(messageIdOf(payload), returning);
    if (type !== FRAME.method) return;
    const fields = fieldsOf(payload);
    const method = fields.u32();
    if (method === expected?.method) {
      expected.wait.resolve(fields);
      expected = null;
      return;
    }
    const handle = handlers[method];
    if (handle === undefined) throw new Error(`an unexpected method: ${method >> 16}.${method & 0xffff}`);
    handle(fields);
  }

  const handlers: Record<number, (fields: Fields) => void> = {
    [METHOD.basicAck]: confirms.ack,
    [METHOD.basicNack]: confirms.nack,
    [METHOD.basicReturn]: (fields) => {
      fields.skip(2);
      returning = safeText(fields.short(), target.password);
    },
    [METHOD.connectionBlocked]: (fields) => void (state.blocked = safeText(fields.short(), target.password)),
    [METHOD.connectionUnblocked]: () => void (state.blocked = null),
    [METHOD.connectionClose]: closed,
    [METHOD.channelClose]: closed,
  };

  function closed(fields: Fields): void {
    const code = fields.u16();
    const text = safeText(fields.short(), target.password);
    const error = say.closed(state.step, code, text);
    // Where one message was too large, the others were only sent with it.
    const [, bytes] = /message size ([0-9]+)/.exec(text) ?? [];
    const hasCulprit = bytes !== undefined && confirms.refuseSize(Number(bytes), error);
    talk.fail(hasCulprit ? say.lost("confirm", "RabbitMQ refused another message") : error);
  }

  return {
    talk,
    state,
    say,
    confirms,
    greeting: heard,
    expect: (method: number, wait: Wait<Fields>): void => void (expected = { method, wait }),
  };
}

/** Sends a method and waits for the one that answers it. */
async function call(session: Session, bytes: Buffer, method: number, withinMs: number): Promise<Fields> {
  const { talk, state, say } = session;
  const wait = talk.wait<Fields>(withinMs, () => say.silent(state.step, withinMs));
  session.expect(method, wait);
  talk.write(bytes);
  return await wait.answer;
}

async function publish(
  session: Session,
  exchange: string,
  message: BrokerMessage,
  withinMs: number,
): Promise<Confirmation> {
  const { talk, state, say, confirms } = session;
  const { id, headers, body, path } = message;
  const content = { exchange, routingKey: path ?? "", headers, messageId: id, body };
  const bytes = publishFrames(CHANNEL, content, state.frameMax);
  const wait = talk.wait<Confirmation>(withinMs, () => say.unconfirmed(state.blocked, withinMs));
  talk.write(bytes);
  return await confirms.next({ id, bytes: body.length }, wait);
}

const HEARTBEAT_SECONDS = 30;
const HALF_MS = 500;
const FRAME_MIN = 4096;

async function signIn(session: Session, target: Target, leftMs: () => number): Promise<void> {
  const { talk, state, say } = session;
  const ask = async (bytes: Buffer, method: number): Promise<Fields> => await call(session, bytes, method, leftMs());
  const start = await ask(PROTOCOL_HEADER, METHOD.connectionStart);
  start.skip(2);
  start.skip(start.u32());
  const mechanisms = start.long();
  if (!mechanisms.split(" ").includes("PLAIN")) throw say.noPassword(safeText(mechanisms, null));

  const tune = await ask(startOk(target), METHOD.connectionTune);
  tune.skip(2);
  const frameMax = tune.u32();
  state.frameMax = frameMax === 0 ? FRAME_MAX : Math.max(FRAME_MIN, Math.min(frameMax, FRAME_MAX));
  const heartbeat = Math.min(tune.u16(), HEARTBEAT_SECONDS);
  talk.write(methodFrame(0, METHOD.connectionTuneOk, u16(CHANNEL), u32(state.frameMax), u16(heartbeat)));
  if (heartbeat > 0) talk.keepAlive(heartbeat * HALF_MS, () => talk.write(HEARTBEAT));
  const vhost = short(target.vhost, "the name of a vhost");
  await ask(methodFrame(0, METHOD.connectionOpen, vhost, u16(0)), METHOD.connectionOpenOk);

  state.step = "send";
  await ask(methodFrame(CHANNEL, METHOD.channelOpen, u8(0)), METHOD.channelOpenOk);
  // The default exchange always exists, and may not be declared.
  if (target.exchange !== "") await ask(checkExchange(target.exchange), METHOD.exchangeDeclareOk);
  await ask(methodFrame(CHANNEL, METHOD.confirmSelect, u8(0)), METHOD.confirmSelectOk);
  state.step = "confirm";
}

const PASSIVE = 1;

function checkExchange(exchange: string): Buffer {
  const name = short(exchange, "the name of an exchange");
  return methodFrame(CHANNEL, METHOD.exchangeDeclare, u16(0), name, u8(0), u8(PASSIVE), u32(0));
}

function startOk({ username, password }: Target): Buffer {
  const capabilities = {
    publisher_confirms: true,
    "basic.nack": true,
    "connection.blocked": true,
    authentication_failure_close: true,
  };
  return methodFrame(
    0,
    METHOD.connectionStartOk,
    table({ product: "Junction", capabilities }),
    short("PLAIN", "a mechanism"),
    long(`\0${username}\0${password}`),
    short("en_US", "a locale"),
  );
}
