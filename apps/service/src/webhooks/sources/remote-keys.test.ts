import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { hide, systemClock } from "../../lib/lib.ts";
import { createNet, parseAllowTargets } from "../../platform/outbound-http/outbound-http.ts";
import type { Net } from "../../platform/outbound-http/outbound-http.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import type { SentRequest } from "./placeholders.ts";
import { isSnsUrl } from "./sns.ts";
import type { JwtScheme } from "./scheme.ts";
import { createVerifier } from "./verifier.ts";
import type { Verdict } from "./verifier.ts";

let receiver: Receiver;
const nets: Net[] = [];
beforeAll(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  for (const net of nets.splice(0)) await net.close();
});
afterAll(async () => {
  await receiver.close();
});

/** Verifies one token after another with the same verifier. `allow` are the targets that the guard lets pass. */
function verifierOf(allow = "127.0.0.0/8"): (token: string, url?: string) => Promise<Verdict> {
  const net = createNet({ clock: systemClock, allow: parseAllowTargets(allow), inbox: null, dnsServers: null });
  nets.push(net);
  const verifier = createVerifier({ net, clock: systemClock });
  return async (token, url = receiver.url) => {
    const scheme: JwtScheme = {
      kind: "jwt",
      header: "Authorization",
      prefix: "Bearer ",
      algorithms: ["RS256"],
      jwks_url: url,
    };
    return await verifier.verify(scheme, [hide("unused")], requestWith(token));
  };
}

function requestWith(token: string): SentRequest {
  return {
    method: "POST",
    url: "https://junction.example.com/api/v1/inbound.php?t=x",
    header: (name) => (name === "authorization" ? `Bearer ${token}` : undefined),
    body: Buffer.from("{}"),
    head: () => undefined,
    json: async () => await Promise.resolve(undefined),
  };
}

interface KeyPair {
  readonly jwk: object;
  token(header?: object): Promise<string>;
}

async function keyPair(kid: string): Promise<KeyPair> {
  const { publicKey, privateKey } = await generateKeyPair("RS256");
  return {
    jwk: { ...(await exportJWK(publicKey)), kid, alg: "RS256" },
    token: async (header = {}) =>
      await new SignJWT({ a: 1 })
        .setProtectedHeader({ alg: "RS256", kid, ...header })
        .setExpirationTime("5m")
        .sign(privateKey),
  };
}

function serve(...keys: readonly KeyPair[]): void {
  receiver.answer((response) => response.writeHead(200).end(JSON.stringify({ keys: keys.map(({ jwk }) => jwk) })));
}

describe("public keys of a sender", () => {
  test("are read once, and once again for a key that the sender has added", async () => {
    const [first, second, unknown] = [await keyPair("1"), await keyPair("2"), await keyPair("3")];
    const verify = verifierOf();
    serve(first);
    const before = receiver.received.length;
    expect(await verify(await first.token())).toBe("valid");
    expect(await verify(await first.token())).toBe("valid");
    expect(receiver.received.length - before).toBe(1);
    serve(first, second);
    // The keys were read just now, so a stranger's unknown keys cause no requests.
    expect(await verify(await unknown.token())).toBe("invalid");
    expect(await verify(await unknown.token())).toBe("invalid");
    expect(receiver.received.length - before).toBeLessThanOrEqual(2);
  });

  test("do not verify a token of another key, of another algorithm or without one", async () => {
    const [own, other] = [await keyPair("1"), await keyPair("1")];
    const verify = verifierOf();
    serve(own);
    const [, payload] = (await own.token()).split(".");
    const none = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${payload ?? ""}.`;
    for (const token of [await other.token(), none, "a.b.c", ""]) expect(await verify(token)).toBe("invalid");
  });

  test.each([
    ["redirect", (): void => receiver.status(302, { Location: "http://127.0.0.1:1/" })],
    [
      "are huge",
      (): void => receiver.answer((response) => response.writeHead(200).end(`{"keys":["${"x".repeat(100_000)}"]}`)),
    ],
    ["are no keys", (): void => receiver.answer((response) => response.writeHead(200).end('"keys"'))],
    ["fail", (): void => receiver.status(500)],
  ])("leave the request undecided if they %s, so that the sender tries again", async (_name, answer) => {
    const key = await keyPair("1");
    answer();
    expect(await verifierOf()(await key.token())).toBe("undecided");
  });

  test("are not read from a private address", async () => {
    const key = await keyPair("1");
    serve(key);
    const before = receiver.received.length;
    expect(await verifierOf("")(await key.token())).toBe("undecided");
    expect(receiver.received.length).toBe(before);
  });
});

test.each(["https://sns.eu-west-1.amazonaws.com/a.pem", "https://sns.cn-north-1.amazonaws.com.cn/a.pem"])(
  "%s is an address of Amazon SNS",
  (url) => {
    expect(isSnsUrl(url)).toBe(true);
  },
);

test.each([
  "http://sns.eu-west-1.amazonaws.com/a.pem",
  "https://sns.eu-west-1.amazonaws.com.example.com/a.pem",
  "https://sns.eu-west-1.amazonaws.com@example.com/a.pem",
  "https://example.com/sns.eu-west-1.amazonaws.com",
  "https://sns.eu-west-1.amazonaws.com:8443/a.pem",
  "https://s3.eu-west-1.amazonaws.com/a.pem",
  "https://a.sns.eu-west-1.amazonaws.com/a.pem",
  "sns.eu-west-1.amazonaws.com",
])("%s is not an address of Amazon SNS", (url) => {
  expect(isSnsUrl(url)).toBe(false);
});
