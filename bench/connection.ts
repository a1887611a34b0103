import { connect } from "node:net";

/** The parts of a response that the generator reads. */
export interface Answer {
  readonly status: number;
  /** The seconds in `Retry-After`; undefined without one. */
  readonly retryAfterSeconds?: number;
}

/** One keep-alive connection with one request at a time. */
export interface Connection {
  /** Resolves when the response is complete. */
  send(request: Buffer): Promise<Answer>;
  isOpen(): boolean;
  close(): void;
}

/** Opens a connection that parses HTTP by hand, because the generator shares the machine with the service that it measures. */
export async function openConnection(port: number): Promise<Connection> {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  let wait: PromiseWithResolvers<Answer> | undefined;
  let rest: Buffer | undefined;
  let isOpen = true;
  socket.on("data", (chunk: Buffer) => {
    const buffer = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
    const answer = parseAnswer(buffer);
    rest = answer === undefined ? buffer : undefined;
    if (answer !== undefined) wait?.resolve(answer);
  });
  const fail = (error?: Error): void => {
    isOpen = false;
    wait?.reject(error ?? new Error("the service closed the connection"));
  };
  socket.on("error", fail);
  socket.on("close", () => fail());
  return {
    async send(request) {
      wait = Promise.withResolvers<Answer>();
      if (isOpen) socket.write(request);
      else fail();
      return await wait.promise;
    },
    isOpen: () => isOpen,
    close: () => socket.destroy(),
  };
}

const HEAD_END = Buffer.from("\r\n\r\n");

/** Returns undefined while bytes are missing. */
function parseAnswer(buffer: Buffer): Answer | undefined {
  const headEnd = buffer.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const head = buffer.toString("latin1", 0, headEnd);
  const size = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (size === undefined) throw new Error(`an answer without a length:\n${head}`);
  if (buffer.length < headEnd + HEAD_END.length + Number(size)) return undefined;
  const status = Number(head.slice(9, 12));
  if (status < 400) return { status };
  const seconds = /\r\nretry-after: *(\d+)/i.exec(head)?.[1];
  return seconds === undefined ? { status } : { status, retryAfterSeconds: Number(seconds) };
}
