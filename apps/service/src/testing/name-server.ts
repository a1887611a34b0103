import { createSocket } from "node:dgram";
import { once } from "node:events";

export interface NameServer {
  /** The address, for `dnsServers`. */
  readonly address: string;
  /** All questions so far, such as "A receiver.test". */
  readonly questions: string[];
  /** Sets the addresses of a name: dotted IPv4 and full-length IPv6. Names without an entry do not exist. */
  set(name: string, addresses: readonly string[]): void;
  /** Answers a name with a CNAME record and the addresses of `target`. */
  alias(name: string, target: string): void;
  /** Stops answering questions. */
  fallSilent(): void;
  /** Answers questions again. */
  speak(): void;
  close(): Promise<void>;
}

const TYPE_A = 1;
const TYPE_CNAME = 5;
const TYPE_AAAA = 28;
const NAME_ERROR = 3;

/**
 * Starts a real DNS server over UDP. Its answers have a time to live of an hour, which exposes a client that caches.
 */
export async function startNameServer(port = 0): Promise<NameServer> {
  const socket = createSocket("udp4");
  const zone = new Map<string, readonly string[]>();
  const aliases = new Map<string, string>();
  const questions: string[] = [];
  let silent = false;

  socket.on("message", (query, from) => {
    const { name, type, end } = readQuestion(query);
    questions.push(`${type === TYPE_A ? "A" : "AAAA"} ${name}`);
    if (silent) return;
    const alias = aliases.get(name);
    const addresses = zone.get(alias ?? name);
    const wanted = (addresses ?? []).filter((address) => address.includes(":") === (type === TYPE_AAAA));
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180 | (addresses === undefined ? NAME_ERROR : 0), 2);
    const answers = [
      ...(alias === undefined ? [] : [aliasRecord(alias)]),
      ...wanted.map((one) => addressRecord(one, alias ?? name)),
    ];
    header.writeUInt16BE(answers.length, 6);
    header.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([header, query.subarray(12, end), ...answers]), from.port, from.address);
  });
  socket.bind(port, "127.0.0.1");
  await once(socket, "listening");

  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    set: (name, addresses) => void zone.set(name, addresses),
    alias: (name, target) => void aliases.set(name, target),
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

function addressRecord(text: string, owner: string): Buffer {
  const isV6 = text.includes(":");
  const data = isV6
    ? Buffer.from(
        text
          .split(":")
          .map((group) => group.padStart(4, "0"))
          .join(""),
        "hex",
      )
    : Buffer.from(text.split(".").map(Number));
  return Buffer.concat([nameOf(owner), record(isV6 ? TYPE_AAAA : TYPE_A, data)]);
}

/** Returns a CNAME record. The question's name is at byte 12 of each message. */
function aliasRecord(target: string): Buffer {
  return Buffer.concat([Buffer.from([0xc0, 0x0c]), record(TYPE_CNAME, nameOf(target))]);
}

function nameOf(host: string): Buffer {
  const labels = host.split(".").map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

/** Returns the type, class, time to live and data of a record. */
function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(10);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(1, 2);
  head.writeUInt32BE(3600, 4);
  head.writeUInt16BE(data.length, 8);
  return Buffer.concat([head, data]);
}
