import { once } from "node:events";
import { createServer } from "node:net";
import type { Server } from "node:net";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { SignJWT } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createIssuer } from "./accounts/oidc/issuer.ts";
import { createIssuerFetch } from "./accounts/oidc/issuer-fetch.ts";
import { OidcRefusal } from "./accounts/oidc/refusal.ts";
import { createSlackApi } from "./actions/approval-channels/slack-api.ts";
import { createAccessTokens } from "./actions/http-calls/access-tokens.ts";
import { sendCall } from "./actions/http-calls/send.ts";
import { callOnce } from "./actions/testing/backend.ts";
import { createOpenAi } from "./ai/assistant/openai.ts";
import { createClientDocuments } from "./ai/oauth/client-documents.ts";
import { OAuthError } from "./ai/oauth/oauth-error.ts";
import { hide, parseJson, systemClock } from "./lib/lib.ts";
import type { Id, Uuid } from "./lib/lib.ts";
import { createNet, parseAllowTargets } from "./platform/outbound-http/outbound-http.ts";
import type { Net } from "./platform/outbound-http/outbound-http.ts";
import { jsonish } from "./testing/fuzz.ts";
import { createVerifier } from "./webhooks/sources/verifier.ts";

let server: Server;
let origin = "";
let net: Net;
/** What the server sends to every request. */
let answer: Buffer = Buffer.alloc(0);

beforeAll(async () => {
  server = createServer((socket) => {
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
  origin = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  net = createNet({ clock: systemClock, allow: parseAllowTargets("127.0.0.0/8"), inbox: null, dnsServers: null });
});
afterAll(async () => {
  await net.close();
  server.close();
});

const here: Pick<Net, "send"> = {
  send: async (request) => await net.send({ ...request, url: `${origin}${new URL(request.url).pathname}` }),
};

function response(status: number, body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Buffer {
  const bytes = Buffer.from(body);
  const all = { "Content-Type": "application/json", "Content-Length": String(bytes.length), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} X\r\n${lines.join("")}\r\n`, "latin1"), bytes]);
}

const scope = { workspaceId: "w" as Uuid, tag: "tag" as never, bucket: 0, environment: "live" } as const;
const auth = { type: "oauth2_client_credentials", token_url: "", client_id: "c", secret_ref: "s" } as const;
const call = (more: object): string =>
  JSON.stringify({
    method: "POST",
    url: `${origin}/api`,
    headers: {},
    content_type: null,
    body: null,
    expose: null,
    auth: null,
    ...more,
  });

/** Everything that reads an answer. Each returns, or throws the named fault of its own. */
const READERS: Readonly<Record<string, () => Promise<unknown>>> = {
  "access tokens": async () =>
    await createAccessTokens({ net, clock: systemClock }).token({
      scope,
      auth: { ...auth, token_url: `${origin}/token` } as never,
      secret: hide("secret"),
    }),
  "HTTP calls": async () => {
    for (const expose of [null, ["a", "error"]])
      await sendCall(sendDeps(), {
        scope,
        text: call({ expose }),
        id: "call_x" as Id,
        by: null,
        signing: async () => await Promise.resolve([]),
      });
  },
  "HTTP calls with an access token": async () => {
    const text = call({ auth: { ...auth, token_url: `${origin}/token` } });
    const tried = await sendCall(sendDeps(), {
      scope,
      text,
      id: "call_x" as Id,
      by: null,
      signing: async () => await Promise.resolve([]),
    });
    expect(typeof tried.isDone).toBe("boolean");
  },
  "backends of actions": async () => {
    for (const more of [
      {},
      { response: { json: false, error_path: "$.error", success_when: { path: "$.ok", equals: true } } },
    ])
      await callOnce({ endpoint: `${origin}/act`, ...more }, { net });
  },
  "the assistant's provider": async () => {
    const settings = { baseUrl: `${origin}/v1`, model: "m", apiKey: null };
    const said = await createOpenAi(net, settings).ask({ system: "s", user: "u", offers: [] } as never);
    expect(typeof said.ok).toBe("boolean");
  },
  "documents of clients": async () =>
    await named(
      OAuthError,
      async () => await createClientDocuments({ net: here, clock: systemClock }).read("https://a.example/doc"),
    ),
  Slack: async () => {
    const api = createSlackApi({ net, clock: systemClock, slackApiUrl: origin });
    expect(typeof (await api.call(hide("xoxb"), "auth.test", {})).ok).toBe("boolean");
  },
  "keys of senders": async () => {
    const token = await new SignJWT({ sub: "x" }).setProtectedHeader({ alg: "HS256", kid: "k" }).sign(Buffer.alloc(32));
    for (const signed of [
      token,
      token.replace(/^[^.]+/, Buffer.from('{"alg":"RS256","kid":"k"}').toString("base64url")),
    ]) {
      const verifier = createVerifier({ net: here, clock: systemClock });
      const scheme = {
        kind: "jwt",
        header: "a",
        algorithms: ["RS256", "ES256", "EdDSA"],
        jwks_url: "https://a.example/jwks",
      };
      const header = (): string => signed;
      expect(["invalid", "undecided"]).toContain(
        await verifier.verify(scheme as never, [], {
          header,
          body: Buffer.alloc(0),
          url: "https://a.example/",
        } as never),
      );
    }
  },
  "certificates of SNS": async () => {
    const message = {
      Type: "Notification",
      SignatureVersion: "2",
      Signature: "AAAA",
      TopicArn: "arn",
      SigningCertURL: "https://sns.eu-west-1.amazonaws.com/x.pem",
    };
    const json = (): object => ({ value: message });
    const verifier = createVerifier({ net: here, clock: systemClock });
    const verdict = await verifier.verify({ kind: "sns" } as never, [hide("arn")], {
      json,
      header: () => undefined,
    } as never);
    expect(["invalid", "undecided"]).toContain(verdict);
  },
  "the issuer": async () => {
    const settings = { issuer: origin, clientId: "c", clientSecret: "s", groups: {}, groupsClaim: "groups" };
    const own = createIssuerFetch(origin, net, { clock: systemClock, dnsServers: null });
    try {
      const issuer = createIssuer({ settings, clock: systemClock, fetch: own.fetch, redirectUri: `${origin}/back` });
      const binding = { state: "s".repeat(32), nonce: "n".repeat(32), verifier: "v".repeat(43) };
      await named(OidcRefusal, async () => await issuer.authorizationUrl(binding));
      await named(
        OidcRefusal,
        async () => await issuer.redeem(new URLSearchParams({ code: "c", state: binding.state }), binding),
      );
      await named(OidcRefusal, async () => await issuer.logoutOf("a.b.c"));
    } finally {
      await own.close();
    }
  },
};

function sendDeps(): Parameters<typeof sendCall>[0] {
  return {
    clock: systemClock,
    net,
    tokens: createAccessTokens({ net, clock: systemClock }),
    inboxes: { addressOf: async (_scope, url) => await Promise.resolve(url) },
    secretFor: async () => await Promise.resolve(hide("secret")),
  };
}

async function named(fault: abstract new (...given: never[]) => Error, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof fault)) throw error;
  }
}

/** A value that neither becomes a text nor a number. */
const STUBBORN = '{"toString":1,"valueOf":1,"toJSON":1,"then":1,"length":-1,"__proto__":1}';
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

function metadata(more: Readonly<Record<string, string>>): string {
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
function hostile(): Buffer[] {
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
  const typed = MEMBERS.flatMap((name) => VALUES.map((value) => response(200, metadata({ [name]: value }))));
  return [...ofBodies, ...ofStatuses, ...lies, ...typed];
}

for (const [reader, read] of Object.entries(READERS))
  test(`${reader}: no answer of a stranger throws anything but a named fault`, async () => {
    for (const bytes of hostile()) {
      answer = bytes;
      await read().catch((error: unknown) => {
        throw new Error(`after ${bytes.toString("latin1").slice(0, 1500)}`, { cause: error });
      });
    }
    const random = fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map((body) => response(200, Buffer.from(body))),
      jsonish.map((body) => response(200, body)),
      fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
    );
    await fc.assert(
      fc.asyncProperty(random, async (bytes) => {
        answer = bytes;
        await read();
      }),
      { numRuns: 60 },
    );
  }, 120_000);

test("the values of this test are hostile: they neither become a text nor a number", () => {
  expect(() => String(parseJson(STUBBORN))).toThrow(TypeError);
  expect(() => Number(parseJson(STUBBORN))).toThrow(TypeError);
});
