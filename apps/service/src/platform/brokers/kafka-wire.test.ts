import { createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hide } from "../../lib/lib.ts";
import { crc32c } from "./kafka/crc32c.ts";
import { kafka } from "./kafka.ts";
import { createWriter } from "./kafka/wire.ts";
import type { WireWriter } from "./kafka/wire.ts";
import { failureOf, messageOf } from "../../testing/broker-deps.ts";
import { guardedDeps } from "../../testing/guarded-broker-deps.ts";
import type { GuardedDeps } from "../../testing/guarded-broker-deps.ts";

let deps: GuardedDeps;
let served: Server[] = [];
beforeAll(async () => {
  deps = await guardedDeps();
});
afterAll(async () => {
  for (const server of served) server.close();
  await deps.close();
});

const SHORT_MS = 400;
const WITHIN_MS = 5000;
const PRODUCE = 0;
const METADATA = 3;
const HANDSHAKE = 17;
const VERSIONS = 18;
const AUTHENTICATE = 36;

/** The answers of a false broker: bytes for each request, or nothing. */
type Answers = (api: number, port: number, socket: Socket, request: Buffer) => Buffer | null;

async function brokerOf(answers: Answers): Promise<number> {
  let port = 0;
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    let held = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => {
      held = Buffer.concat([held, chunk]);
      while (held.length >= 4 && held.length >= 4 + held.readInt32BE(0)) {
        const request = held.subarray(0, 4 + held.readInt32BE(0));
        const answer = answers(held.readInt16BE(4), port, socket, request);
        const id = held.readInt32BE(8);
        held = held.subarray(4 + held.readInt32BE(0));
        if (answer !== null) socket.write(framed(id, answer));
      }
    });
  });
  served = [...served, server];
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
  return port;
}

function framed(id: number, answer: Buffer): Buffer {
  const writer = createWriter();
  writer.int32(answer.length + 4);
  writer.int32(id);
  writer.raw(answer);
  return Buffer.from(writer.written());
}

function bytesOf(write: (writer: WireWriter) => void): Buffer {
  const writer = createWriter();
  write(writer);
  return Buffer.from(writer.written());
}

const versions = bytesOf((writer) => {
  writer.int16(0);
  writer.int32(2);
  for (const [api, max] of [
    [PRODUCE, 13],
    [METADATA, 13],
  ] as const) {
    writer.int16(api);
    writer.int16(0);
    writer.int16(max);
  }
});

/** A cluster of one broker, which leads the topic's only partition. */
const metadata = (host: string, port: number): Buffer =>
  bytesOf((writer) => {
    writer.int32(0);
    writer.int32(1);
    writer.int32(1);
    writer.string(host);
    writer.int32(port);
    writer.int16(-1);
    writer.int16(-1);
    writer.int32(1);
    writer.int32(1);
    writer.int16(0);
    writer.string("orders");
    writer.int8(0);
    writer.int32(1);
    writer.int16(0);
    writer.int32(0);
    writer.int32(1);
    writer.int32(0);
    writer.int32(0);
  });

const produced = (code: number): Buffer =>
  bytesOf((writer) => {
    writer.int32(1);
    writer.string("orders");
    writer.int32(1);
    writer.int32(0);
    writer.int16(code);
    writer.int64(7);
    writer.int64(-1);
    writer.int64(0);
    writer.int32(0);
  });

/** Opens a connection to a false broker, sends a message, and closes it. Returns how it failed. */
async function outcomeOf(answers: Answers, { withinMs = WITHIN_MS, sasl = false } = {}): Promise<string> {
  const port = await brokerOf(answers);
  const destination = {
    brokers: [`bootstrap.test:${port}`],
    topic: "orders",
    tls: false,
    sasl: sasl ? { mechanism: "scram-sha-256" as const, username: "u", secret_ref: "s" } : null,
  };
  const text = await failureOf(
    (async () => {
      const connection = await kafka.open(deps, destination, hide("a-password"), withinMs);
      try {
        await connection.send(messageOf(), withinMs);
      } finally {
        await connection.close();
      }
    })(),
  );
  await expect.poll(deps.openSockets).toBe(0);
  return text;
}

const honest: Answers = (api, port) => {
  if (api === VERSIONS) return versions;
  return api === METADATA ? metadata("kafka-1.test", port) : produced(0);
};

/** Answers honestly, but for one kind of request. */
const but =
  (wrong: number, answer: Answers): Answers =>
  (api, ...rest) =>
    api === wrong ? answer(api, ...rest) : honest(api, ...rest);

const steps = [
  [VERSIONS, "sign_in"],
  [METADATA, "send"],
  [PRODUCE, "confirm"],
] as const;

test("the checksum is CRC-32C", () => {
  expect(crc32c(Buffer.from("123456789"))).toBe(0xe3069283);
});

test("an answer that comes byte by byte is an answer", async () => {
  const slowly: Answers = (api, port, socket, request) => {
    const answer = honest(api, port, socket, request);
    const write = socket.write.bind(socket);
    socket.write = (bytes: string | Uint8Array) => {
      for (const byte of Buffer.from(bytes)) write(Buffer.from([byte]));
      return true;
    };
    return answer;
  };
  expect(await outcomeOf(slowly)).toBe("it did not fail");
});

test.each(steps)("a broker that never answers request %i fails in the step %s, in time", async (api, step) => {
  const failed = await outcomeOf(
    but(api, () => null),
    { withinMs: SHORT_MS },
  );
  expect(failed).toMatch(new RegExp(`^${step}: .*did not (answer|confirm the message) within \\d+ ms`));
});

test.each(steps)("a broker that dies at request %i fails in the step %s", async (api, step) => {
  const failed = await outcomeOf(
    but(api, (_, __, socket) => {
      socket.destroy();
      return null;
    }),
    { withinMs: SHORT_MS },
  );
  expect(failed).toMatch(new RegExp(`^${step}: .*ended the connection`));
});

test("bytes that do not come from Kafka are named as what they are", async () => {
  const raw = (text: string | Buffer): Answers => but(VERSIONS, (_, __, socket) => (socket.write(text), null));
  expect(await outcomeOf(raw("HTTP/1.1 400 Bad Request\r\n\r\n"))).toContain(
    "it speaks HTTP. Check host, port and `tls`.",
  );
  expect(await outcomeOf(raw(Buffer.from("15030300020250", "hex")))).toContain("it speaks TLS: set `tls` to true");
  for (const bytes of [
    "ffffffff00",
    "7fffffff00",
    "0000000000000000",
    "00000004deadbeef",
    "0000000800000001ffffffff",
  ]) {
    expect(await outcomeOf(raw(Buffer.from(bytes, "hex")))).toMatch(/^sign_in: .* does not answer as a Kafka broker/);
  }
  const twice = but(METADATA, (_, port, socket) => {
    socket.write(framed(2, metadata("kafka-1.test", port)));
    return metadata("kafka-1.test", port);
  });
  expect(await outcomeOf(twice)).toMatch(/does not answer as a Kafka broker|it did not fail|ended the connection/);
});

test("a broker of another protocol version is named", async () => {
  const old = bytesOf((writer) => {
    writer.int16(0);
    writer.int32(1);
    writer.int16(PRODUCE);
    writer.int16(0);
    writer.int16(2);
  });
  expect(await outcomeOf(but(VERSIONS, () => old))).toContain(
    "does not know Produce 7 and Metadata 4 of Kafka's protocol",
  );
});

test("addresses that a cluster names are hosts and ports, or nothing is dialed", async () => {
  for (const [host, port] of [
    ["", 9092],
    ["a b", 9092],
    ["evil.test/..", 9092],
    ["user@kafka-1.test", 9092],
    ["kafka-1.test", 0],
    ["kafka-1.test", 70_000],
    ["kafka-1.test", -1],
  ] as const) {
    const failed = await outcomeOf(but(METADATA, () => metadata(host, port)));
    expect(failed, `${host}:${port}`).toBe(
      "resolve: The cluster names a broker by an address that is no host and port. Correct its advertised.listeners.",
    );
  }
  for (const host of ["169.254.169.254", "10.0.0.1", "::ffff:169.254.169.254", "fd00::1", "metadata.test"]) {
    expect(await outcomeOf(but(METADATA, () => metadata(host, 9092)))).toMatch(/^(guard|resolve): The cluster names/);
  }
});

test("each error code of the protocol is a sentence, in time", async () => {
  const codes = [-1, ...Array.from({ length: 130 }, (_, index) => index + 1), 32_767];
  const outcomes = await Promise.all(
    codes.map(
      async (code) =>
        await outcomeOf(
          but(PRODUCE, () => produced(code)),
          { withinMs: 3000 },
        ),
    ),
  );
  for (const [index, outcome] of outcomes.entries()) {
    expect(outcome, `code ${codes[index]}`).toMatch(/^(connect|sign_in|send|confirm): [A-Zo].{30,}\.$/);
  }
});

test("answers with random faults are a failed attempt at most", async () => {
  let seed = 46;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) % below;
  };
  const spoiled: Answers = (...request) => {
    const answer = Buffer.from(honest(...request) ?? "");
    const kind = random(6);
    if (kind === 0) return answer;
    if (kind === 1) return answer.subarray(0, random(answer.length));
    if (kind === 2) return Buffer.concat([answer, Buffer.alloc(random(50), random(256))]);
    for (let count = 1 + random(4); count > 0; count -= 1) answer[random(answer.length)] = random(256);
    return answer;
  };
  const runs = Array.from({ length: 400 }, async () => await outcomeOf(spoiled, { withinMs: 1000 }));
  for (const outcome of await Promise.all(runs)) {
    expect(outcome).toMatch(/^(resolve|guard|connect|tls|sign_in|send|confirm): |^it did not fail$/);
    expect(outcome).not.toContain("fault of Junction");
  }
});

test("a broker of SCRAM that does not know the password is refused", async () => {
  const handshake = bytesOf((writer) => {
    writer.int16(0);
    writer.int32(0);
  });
  const said = (text: string): Buffer =>
    bytesOf((writer) => {
      writer.int16(0);
      writer.int16(-1);
      writer.int32(Buffer.byteLength(text));
      writer.raw(Buffer.from(text));
      writer.int64(0);
    });
  const scram = async (challengeOf: (nonce: string) => string, proof: string): Promise<string> => {
    let round = 0;
    const server: Answers = (api, port, socket, request) => {
      if (api === HANDSHAKE) return handshake;
      if (api !== AUTHENTICATE) return honest(api, port, socket, request);
      round += 1;
      return said(round === 1 ? challengeOf(/r=([^,]+)$/.exec(request.toString())?.[1] ?? "") : proof);
    };
    return await outcomeOf(server, { sasl: true });
  };
  const salt = Buffer.from("salt").toString("base64");
  expect(await scram((nonce) => `r=${nonce}x,s=${salt},i=4096`, "v=AAAA")).toContain(
    "it does not know the password itself",
  );
  expect(await scram((nonce) => `r=${nonce}x,s=${salt},i=4096`, "e=no")).toContain(
    "it does not know the password itself",
  );
  expect(await scram((nonce) => `r=${nonce}x,s=${salt},i=100000000`, "")).toContain("it asks for 100000000 iterations");
  expect(await scram((nonce) => `r=${nonce}x,s=${salt},i=1`, "")).toContain("it asks for 1 iterations");
  expect(await scram((nonce) => `r=${nonce},s=${salt},i=4096`, "")).toContain("its challenge is not that of SCRAM");
  expect(await scram(() => `r=other,s=${salt},i=4096`, "")).toContain("its challenge is not that of SCRAM");
  expect(await scram(() => "\0\0", "")).toContain("its challenge is not that of SCRAM");
});
