import { connect } from "node:net";

/** One keep-alive connection with one request at a time. */
export interface Connection {
  /** Resolves with the status when the answer has come whole. */
  send(request: Buffer): Promise<number>;
  close(): void;
}

/** By hand, because the generator shares the machine with what it measures. */
export async function openConnection(port: number): Promise<Connection> {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  let wait: PromiseWithResolvers<number> | undefined;
  let rest: Buffer | undefined;
  socket.on("data", (chunk: Buffer) => {
    const buffer = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
    const answer = parseAnswer(buffer);
    rest = answer === undefined ? buffer : undefined;
    if (answer !== undefined) wait?.resolve(answer);
  });
  const fail = (error?: Error): void => wait?.reject(error ?? new Error("the service closed the connection"));
  socket.on("error", fail);
  socket.on("close", () => fail());
  return {
    send(request) {
      wait = Promise.withResolvers<number>();
      socket.write(request);
      return wait.promise;
    },
    close: () => socket.destroy(),
  };
}

const HEAD_END = Buffer.from("\r\n\r\n");

/** The status of a whole answer; undefined while bytes are missing. */
function parseAnswer(buffer: Buffer): number | undefined {
  const headEnd = buffer.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const head = buffer.toString("latin1", 0, headEnd);
  const size = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (size === undefined) throw new Error(`an answer without a length:\n${head}`);
  return buffer.length < headEnd + HEAD_END.length + Number(size) ? undefined : Number(head.slice(9, 12));
}
