import { createSocket } from "node:dgram";
import { once } from "node:events";

export interface NameServer {
  /** For `dnsServers`. */
  readonly address: string;
  /** Each question so far, such as "A receiver.test". */
  readonly questions: string[];
  /** What a name leads to from now on: dotted IPv4 and full-length IPv6 addresses. Unknown names do not exist. */
  set(name: string, addresses: readonly string[]): void;
  /** From now on questions go unanswered. */
  fallSilent(): void;
  /** From now on they are answered again. */
  speak(): void;
  close(): Promise<void>;
}

const TYPE_A = 1;
const TYPE_AAAA = 28;
const NAME_ERROR = 3;

/** A real DNS server over UDP that answers with a time to live of an hour, so that whoever caches is found out. */
export async function startNameServer(): Promise<NameServer> {
  const socket = createSocket("udp4");
  const zone = new Map<string, readonly string[]>();
  const questions: string[] = [];
  let silent = false;

  socket.on("message", (query, from) => {
    const { name, type, end } = readQuestion(query);
    questions.push(`${type === TYPE_A ? "A" : "AAAA"} ${name}`);
    if (silent) return;
    const addresses = zone.get(name);
    const wanted = (addresses ?? []).filter((address) => address.includes(":") === (type === TYPE_AAAA));
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180 | (addresses === undefined ? NAME_ERROR : 0), 2);
    header.writeUInt16BE(wanted.length, 6);
    header.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([header, query.subarray(12, end), ...wanted.map(answer)]), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");

  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    set: (name, addresses) => void zone.set(name, addresses),
    fallSilent: () => void (silent = true),
    speak: () => void (silent = false),
    close: async () => await new Promise((resolve) => socket.close(() => resolve())),
  };
}

function readQuestion(query: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function answer(address: string): Buffer {
  const isV6 = address.includes(":");
  const data = isV6
    ? Buffer.from(
        address
          .split(":")
          .map((group) => group.padStart(4, "0"))
          .join(""),
        "hex",
      )
    : Buffer.from(address.split(".").map(Number));
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(isV6 ? TYPE_AAAA : TYPE_A, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(3600, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
