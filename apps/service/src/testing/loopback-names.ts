import { createSocket } from "node:dgram";
import { once } from "node:events";

export interface LoopbackNames {
  /** The value for `JUNCTION_DNS_SERVERS`. */
  readonly address: string;
  close(): Promise<void>;
}

const HEADER_BYTES = 12;
const TYPE_A = 1;
/** The answer record: a pointer to the question's name, type A, 60 seconds to live, 127.0.0.1. */
const ANSWER = Buffer.from("c00c000100010000003c00047f000001", "hex");

/** Starts a DNS server that resolves every name to 127.0.0.1, so that invented hosts lead nowhere else. */
export async function startLoopbackNames(): Promise<LoopbackNames> {
  const socket = createSocket("udp4");
  socket.on("message", (query, from) => {
    const end = query.indexOf(0, HEADER_BYTES) + 5;
    const isA = query.readUInt16BE(end - 4) === TYPE_A;
    const header = Buffer.from(query.subarray(0, HEADER_BYTES));
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(isA ? 1 : 0, 6);
    header.writeUInt32BE(0, 8);
    const parts = [header, query.subarray(HEADER_BYTES, end), ...(isA ? [ANSWER] : [])];
    socket.send(Buffer.concat(parts), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    address: `127.0.0.1:${socket.address().port}`,
    async close() {
      socket.close();
      await once(socket, "close");
    },
  };
}
