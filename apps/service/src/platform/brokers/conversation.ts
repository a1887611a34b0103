import type { Socket } from "node:net";
import type { Clock } from "../../lib/lib.ts";
import { BrokerError } from "./broker.ts";

/** A connection on which many calls wait for the broker's answers. Its end rejects all of them. */
export interface Conversation {
  /** The address at the other end; null if the system no longer knows it. */
  readonly address: string | null;
  /** Why the conversation is over; null while it lasts. */
  readonly failure: BrokerError | null;
  write(bytes: Buffer): void;
  /**
   * Waits for an answer. If it is late, this call rejects with `late()`. If no other call had an answer in that time, the conversation is over: such
   * a connection does not recover, and what was written to it would pile up.
   */
  wait<T>(withinMs: number, late: () => BrokerError): Wait<T>;
  /** Calls `beat` again and again, and ends the conversation when the broker says nothing for three times as long. */
  keepAlive(everyMs: number, beat: () => void): void;
  /** Ends at once. Only the first reason counts. */
  fail(error: BrokerError): void;
  /** Says a last word, and resolves when the socket is closed. */
  end(lastWord: Buffer): Promise<void>;
}

export interface Wait<T> {
  readonly answer: Promise<T>;
  resolve(value: T): void;
  reject(error: BrokerError): void;
}

export interface ConversationDeps {
  readonly clock: Clock;
  readonly socket: Socket;
  /** Takes what the broker sends. What it throws ends the conversation. */
  readonly hear: (bytes: Buffer) => void;
  /** Returns the reason of an end that the broker or the network caused. */
  readonly lost: (cause: string) => BrokerError;
  /** Returns the reason of an end after bytes that are not the protocol. */
  readonly nonsense: (cause: string) => BrokerError;
}

/** How long the broker has to close after the last word. */
const CLOSE_MS = 1000;
const SILENT_BEATS = 3;

/** Takes the socket over: from here on, it is closed when the conversation is over, and its errors are caught. */
export function createConversation(deps: ConversationDeps): Conversation {
  const { clock, socket } = deps;
  const waits = new Set<(error: BrokerError) => void>();
  const address = addressOf(socket);
  let failure: BrokerError | null = null;
  let heardAt = clock.monotonicMs();
  let answeredAt = heardAt;
  const write = createWriter(socket);

  function finish(error: BrokerError): void {
    if (failure !== null) return;
    failure = error;
    for (const reject of waits) reject(error);
  }

  function fail(error: BrokerError): void {
    finish(error);
    socket.destroy();
  }

  attend(deps, fail, () => {
    heardAt = clock.monotonicMs();
    return failure === null;
  });

  return {
    address,
    get failure() {
      return failure;
    },
    write(bytes) {
      if (failure === null) write(bytes);
    },
    wait<T>(withinMs: number, late: () => BrokerError): Wait<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const startedAt = clock.monotonicMs();
      const settle = (): void => {
        clearTimeout(timer);
        waits.delete(refuse);
      };
      const refuse = (error: BrokerError): void => {
        settle();
        reject(error);
      };
      const timer = setTimeout(() => {
        const error = late();
        refuse(error);
        if (answeredAt < startedAt) fail(error);
      }, withinMs);
      waits.add(refuse);
      if (failure !== null) refuse(failure);
      return {
        answer: promise,
        resolve(value) {
          answeredAt = clock.monotonicMs();
          settle();
          resolve(value);
        },
        reject(error) {
          answeredAt = clock.monotonicMs();
          refuse(error);
        },
      };
    },
    keepAlive(everyMs, beat) {
      const timer = setInterval(() => {
        beat();
        if (clock.monotonicMs() - heardAt > SILENT_BEATS * everyMs) fail(deps.lost("the broker is silent"));
      }, everyMs);
      timer.unref();
      socket.once("close", () => clearInterval(timer));
    },
    fail,
    async end(lastWord) {
      if (failure === null) socket.end(lastWord);
      finish(new BrokerError("confirm", "This side closed the connection. The next attempt opens another.", address));
      await gone(socket);
    },
  };
}

/** Resolves when a socket that was ended is closed. One whose other end does not close is destroyed. */
async function gone(socket: Socket): Promise<void> {
  const closed = new Promise((resolve) => socket.once("close", resolve));
  if (socket.closed) return;
  const timer = setTimeout(() => socket.destroy(), CLOSE_MS);
  await closed;
  clearTimeout(timer);
}

function attend(deps: ConversationDeps, fail: (error: BrokerError) => void, isHeard: () => boolean): void {
  const { socket } = deps;
  socket.on("error", (error) => fail(deps.lost(error.message)));
  socket.on("close", () => fail(deps.lost("the connection was closed")));
  socket.on("end", () => fail(deps.lost("the broker closed the connection")));
  socket.on("data", (bytes: Buffer) => {
    try {
      if (isHeard()) deps.hear(bytes);
    } catch (error) {
      fail(error instanceof BrokerError ? error : deps.nonsense(String(error)));
    }
  });
  socket.setNoDelay(true);
  socket.resume();
}

/** Returns a function that writes. What is written in one turn goes to the system in one call. */
function createWriter(socket: Socket): (bytes: Buffer) => void {
  let isCorked = false;
  return (bytes) => {
    if (!isCorked) {
      isCorked = true;
      socket.cork();
      process.nextTick(() => {
        isCorked = false;
        socket.uncork();
      });
    }
    socket.write(bytes);
  };
}

function addressOf({ remoteAddress, remotePort }: Socket): string | null {
  if (remoteAddress === undefined) return null;
  return `${remoteAddress.includes(":") ? `[${remoteAddress}]` : remoteAddress}:${remotePort}`;
}

const SHOWN_CHARACTERS = 200;

/** Returns what a broker said in a form that is safe to show: without control characters, short, and without the credential. */
export function safeText(text: string, secret: string | null): string {
  const clean = text.replace(/[\p{C}\s]+/gu, " ").trim();
  const safe = secret === null || secret === "" ? clean : clean.replaceAll(secret, "[redacted]");
  return safe.length > SHOWN_CHARACTERS ? `${safe.slice(0, SHOWN_CHARACTERS)}…` : safe;
}

/** Returns a duration for a sentence. */
export function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
