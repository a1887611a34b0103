import type { Socket } from "node:net";
import { BrokerError } from "../broker.ts";
import type { BrokerStep } from "../broker.ts";
import { PassingError } from "./faults.ts";
import { createFrames } from "./frames.ts";
import type { WireRequest } from "./requests.ts";
import { createReader, createWriter, MalformedAnswerError } from "./wire.ts";

/** A connection to one broker. Answers come in the order of the requests. */
export interface BrokerLink {
  /** The broker's place, such as `kafka.example.com:9092`. */
  readonly at: string;
  /** The IP address that is connected to. */
  readonly address: string | null;
  readonly isOpen: boolean;
  /** Rejects with `BrokerError`: when no answer came in time, the connection is closed, since none can come after it. */
  ask<Answer>(request: WireRequest<Answer>, step: BrokerStep, withinMs: number): Promise<Answer>;
  close(): void;
}

interface Pending {
  readonly id: number;
  readonly step: BrokerStep;
  take(bytes: Buffer): void;
  fail(error: BrokerError): void;
}

const CLIENT_ID = "junction";
const LENGTH_BYTES = 4;
const KEEP_ALIVE_MS = 60_000;

/** Speaks Kafka's protocol on an open socket. `ended` is called once, when the connection is over for any reason. */
export function createBrokerLink(socket: Socket, at: string, ended: () => void): BrokerLink {
  const address = socket.remoteAddress ?? null;
  const pending: Pending[] = [];
  let lastId = 0;
  let isOpen = true;

  function end(errorFor: (step: BrokerStep) => BrokerError): void {
    if (!isOpen) return;
    isOpen = false;
    socket.destroy();
    for (const one of pending.splice(0)) one.fail(errorFor(one.step));
    ended();
  }

  function malformed(error: unknown): void {
    const why = error instanceof MalformedAnswerError ? error.message : "its answer could not be read";
    end(
      (step) =>
        new BrokerError(
          step,
          `The broker at ${at} does not answer as a Kafka broker: ${why}. Check host, port and \`tls\`.`,
          address,
        ),
    );
  }

  const frames = createFrames((bytes) => {
    const next = pending[0];
    const id = bytes.readInt32BE(0);
    if (next === undefined || next.id !== id) throw new MalformedAnswerError("it answers what was not asked");
    next.take(bytes.subarray(LENGTH_BYTES));
  });

  listen(socket, {
    data(chunk) {
      if (!isOpen) return;
      try {
        frames(chunk);
      } catch (error) {
        malformed(error);
      }
    },
    lost: (error) => end((step) => new PassingError(step, lostText(at, step, error), address)),
  });

  return {
    at,
    address,
    get isOpen() {
      return isOpen;
    },
    async ask(request, step, withinMs) {
      if (!isOpen) throw new PassingError(step, lostText(at, step), address);
      const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof request.read>>>();
      lastId = (lastId + 1) & 0x7fffffff;
      const timer = setTimeout(() => {
        end((ending) => new PassingError(ending, lateText(at, ending, withinMs), address));
      }, withinMs);
      pending.push({
        id: lastId,
        step,
        take(bytes) {
          const reader = createReader(bytes);
          const answer = request.read(reader);
          reader.end();
          pending.shift();
          clearTimeout(timer);
          resolve(answer as Awaited<typeof answer>);
        },
        fail(error) {
          clearTimeout(timer);
          reject(error);
        },
      });
      socket.write(encode(request, lastId));
      return await promise;
    },
    close: () => end((step) => new PassingError(step, `The connection to ${at} was closed.`, address)),
  };
}

interface Listener {
  data(chunk: Buffer): void;
  lost(error?: Error): void;
}

function listen(socket: Socket, { data, lost }: Listener): void {
  socket.setNoDelay(true);
  socket.setKeepAlive(true, KEEP_ALIVE_MS);
  socket.on("data", data);
  // The listeners stay for the life of the socket: a dying broker must not end the process.
  socket.on("error", lost);
  socket.on("close", () => lost());
  socket.resume();
}

function encode({ api, version, write }: WireRequest<unknown>, id: number): Buffer {
  const writer = createWriter();
  writer.int32(0);
  writer.int16(api);
  writer.int16(version);
  writer.int32(id);
  writer.string(CLIENT_ID);
  write(writer);
  writer.setUint32(0, writer.length - LENGTH_BYTES);
  return writer.written();
}

function lostText(at: string, step: BrokerStep, error?: Error): string {
  const code = error !== undefined && "code" in error ? ` (${String(error.code)})` : "";
  if (step === "confirm")
    return `The broker at ${at} ended the connection${code} before it confirmed the message, which may have arrived. Check the broker.`;
  return `The broker at ${at} ended the connection${code} before it answered. Check that the broker runs, and whether this port needs \`tls\` or \`sasl\`.`;
}

/** Why no answer came in time. */
export function lateText(at: string, step: BrokerStep, withinMs: number): string {
  const time = `within ${Math.round(withinMs)} ms`;
  if (step === "confirm") {
    return `The broker at ${at} did not confirm the message ${time}; it may have arrived. Check the broker, its disks, and quotas of the user.`;
  }
  return `The broker at ${at} accepted the connection, but did not answer ${time}. Check the broker, and whether this port is one of Kafka that needs \`tls\`.`;
}
