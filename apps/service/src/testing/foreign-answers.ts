import { once } from "node:events";
import { createServer } from "node:net";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { systemClock } from "../lib/lib.ts";
import { createNet, parseAllowTargets } from "../platform/outbound-http/outbound-http.ts";
import type { Net } from "../platform/outbound-http/outbound-http.ts";
import { jsonish } from "./fuzz.ts";

/** A server on loopback that sends the same bytes to every request, and the way to it. */
export interface Stranger {
  readonly origin: string;
  readonly net: Net;
  /** Sends requests for any host to the server. */
  readonly here: Pick<Net, "send">;
  /** Lets a reader read hostile and random answers. Throws what the reader throws, with the answer. */
  withstood(read: () => Promise<unknown>): Promise<void>;
  close(): Promise<void>;
}

export async function startStranger(): Promise<Stranger> {
  let answer: Buffer = Buffer.alloc(0);
  const server = createServer((socket) => {
    let head = "";
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      head += chunk.toString("latin1");
      const end = head.indexOf("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (end !== -1 && head.length >= end + 4 + length) socket.end(answer);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  const net = createNet({ clock: systemClock, allow: parseAllowTargets("127.0.0.0/8"), inbox: null, dnsServers: null });
  const tried = async (bytes: Buffer, read: () => Promise<unknown>): Promise<void> => {
    answer = bytes;
    try {
      await read();
    } catch (error) {
      throw new Error(`after ${bytes.toString("latin1").slice(0, 1500)}`, { cause: error });
    }
  };
  return {
    origin,
    net,
    here: { send: async (request) => await net.send({ ...request, url: `${origin}${new URL(request.url).pathname}` }) },
    async withstood(read) {
      for (const bytes of hostile(origin)) await tried(bytes, read);
      const random = fc.oneof(
        fc.uint8Array({ maxLength: 300 }).map((body) => response(200, Buffer.from(body))),
        jsonish.map((body) => response(200, body)),
        fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
      );
      await fc.assert(
        fc.asyncProperty(random, async (bytes) => await tried(bytes, read)),
        { numRuns: 60 },
      );
    },
    async close() {
      await net.close();
      server.close();
    },
  };
}

/** Throws what the work throws, except this fault. */
export async function named(
  fault: abstract new (...given: never[]) => Error,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof fault)) throw error;
  }
}

function response(status: number, body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Buffer {
  const bytes = Buffer.from(body);
  const all = { "Content-Type": "application/json", "Content-Length": String(bytes.length), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} X\r\n${lines.join("")}\r\n`, "latin1"), bytes]);
}

/** A value that neither becomes a text nor a number. */
export const STUBBORN = '{"toString":1,"valueOf":1,"toJSON":1,"then":1,"length":-1,"__proto__":1}';
const VALUES = [
  "null",
  "-1",
  "0",
  "1e400",
  "-1e400",
  '"soon"',
  '""',
  '"\\u0000"',
  '"\\ud800"',
  "[]",
  "[[null]]",
  "{}",
  "true",
  STUBBORN,
];
/** The members that any of the readers looks at. */
const MEMBERS = [
  "access_token",
  "expires_in",
  "token_type",
  "error",
  "error_description",
  "ok",
  "ts",
  "channel",
  "team_id",
  "choices",
  "model",
  "usage",
  "keys",
  "client_id",
  "client_name",
  "redirect_uris",
  "grant_types",
  "response_types",
  "token_endpoint_auth_method",
  "issuer",
  "jwks_uri",
  "authorization_endpoint",
  "token_endpoint",
  "userinfo_endpoint",
  "scopes_supported",
  "token_endpoint_auth_methods_supported",
  "id_token",
  "result",
  "a",
];

function metadata(origin: string, more: Readonly<Record<string, string>>): string {
  const own: Record<string, string> = {
    issuer: JSON.stringify(origin),
    jwks_uri: JSON.stringify(`${origin}/keys`),
    authorization_endpoint: JSON.stringify(`${origin}/authorize`),
    token_endpoint: JSON.stringify(`${origin}/token`),
    client_id: '"https://a.example/doc"',
    redirect_uris: '["https://a.example/back"]',
    access_token: '"t"',
    ok: "true",
    keys: "[]",
    choices: '[{"message":{"content":"x"}}]',
    ...more,
  };
  return `{${Object.entries(own)
    .map(([name, text]) => `"${name}":${text}`)
    .join(",")}}`;
}

/** Answers of senders, proxies and attackers. */
function hostile(origin: string): Buffer[] {
  const deep = "[".repeat(100) + "]".repeat(100);
  const bodies: (string | Buffer)[] = [
    "hello",
    "",
    "null",
    "[]",
    "1",
    '"text"',
    deep,
    `{"a":${deep}}`,
    "[".repeat(30_000),
    "{".repeat(30_000),
    `{"a":${"9".repeat(20_000)}}`,
    Buffer.from([0xff, 0xfe, 0x00, 0x80]),
    Buffer.from('{"access_token":"\xff"}', "latin1"),
    "\ufeff{}",
    '{"a":1,"a":2}',
    "\0",
    "<html>",
    `{"choices":[null]}`,
    `{"choices":[{"message":{"content":"\\u0000\\ud800","tool_calls":[null,1,{"id":{},"function":{"name":1,"arguments":${STUBBORN}}}]}}]}`,
    `{"keys":[null]}`,
    `{"keys":[1,"k",[],{"kid":"k"},${STUBBORN}]}`,
    `{"keys":[{"kid":"k","kty":"RSA","n":"AA","e":"AA"},{"kid":"k","kty":"EC","crv":"P-256","x":"!","y":1}]}`,
    `{"keys":[{"kid":"k","kty":"OKP","crv":"Ed25519","x":""}]}`,
    `{"keys":[{"kid":"k","kty":"RSA","n":"${"A".repeat(9000)}","e":"AQAB"}]}`,
    "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
    STUBBORN,
  ];
  const statuses = [200, 201, 204, 205, 302, 304, 400, 401, 429, 500, 599, 999];
  const ofBodies = bodies.flatMap((body) => [200, 400, 401].map((status) => response(status, body)));
  const ofStatuses = statuses.map((status) =>
    response(status, "{}", { Location: "//", "Retry-After": "9".repeat(300) }),
  );
  const lies = [
    response(200, "not gzip", { "Content-Encoding": "gzip" }),
    response(200, gzipSync("{}").subarray(0, 12), { "Content-Encoding": "gzip" }),
    response(200, gzipSync(Buffer.alloc(3_000_000, 32)), { "Content-Encoding": "gzip" }),
    response(200, "{}", { "Content-Encoding": "br, zstd, gzip" }),
    response(200, "{}", { "Content-Length": "1" }),
    response(200, "{}", { "Content-Length": "1000" }),
    response(200, "zz\r\n", { "Transfer-Encoding": "chunked" }),
    response(200, "{}", { "X-Long": "a".repeat(400_000) }),
    response(200, "{}", Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`X-${n}`, "v"]))),
    response(200, "{}", {
      "Content-Type": "\u00ff;;=\u00e9",
      "Retry-After": "\u00fe",
      "WWW-Authenticate": "Basic \u00ff",
    }),
    Buffer.from("SSH-2.0-OpenSSH\r\n"),
    Buffer.alloc(0),
    Buffer.from("HTTP/1.1 200"),
    Buffer.from("HTTP/1.1 99999999999 X\r\n\r\n"),
    Buffer.from("HTTP/1.1 200 OK\r\nHeader without colon\r\n\r\n{}"),
    Buffer.from("HTTP/1.1 100 Continue\r\n\r\n".repeat(500)),
  ];
  const typed = MEMBERS.flatMap((name) => VALUES.map((value) => response(200, metadata(origin, { [name]: value }))));
  return [...ofBodies, ...ofStatuses, ...lies, ...typed];
}
