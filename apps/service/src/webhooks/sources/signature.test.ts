import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { hide, instant, systemClock } from "../../lib/lib.ts";
import { hexMac } from "../../testing/inbound.ts";
import { namedSchemes, SIGNATURE_SCHEMES } from "./named-schemes.ts";
import type { SignatureScheme } from "./named-schemes.ts";
import { createVerifier, secretFault } from "./verifier.ts";

interface Sent {
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The receiver's clock in Unix seconds. */
  readonly now: number;
}

const NO_NET = { send: async () => await Promise.reject(new Error("no scheme of these reads an address")) };

async function holds(scheme: SignatureScheme, { secret, headers, body, now }: Sent): Promise<boolean> {
  const clock = { ...systemClock, now: () => instant(now * 1000) };
  const request = {
    method: "POST",
    url: "https://junction.example.com/api/v1/inbound.php?t=x",
    header: (name: string) => headers[name],
    body: Buffer.from(body),
    head: () => undefined,
    json: async () => await Promise.resolve(undefined),
  };
  const { verify } = createVerifier({ net: NO_NET, clock });
  return (await verify(namedSchemes[scheme], [hide(secret)], request)) === "valid";
}

const NOW = 1_763_730_000;

/** Returns the headers that each sender sends at a time, built only from its documentation. */
function sentBy(scheme: SignatureScheme, secret: string, body: string, time: number): Record<string, string> {
  const timed = `t=${time},v1=${hexMac(secret, `${time}.${body}`)}`;
  const standard = createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"));
  const made: Record<SignatureScheme, Record<string, string>> = {
    service: { "x-service-inbound-signature": hexMac(secret, body) },
    github: { "x-hub-signature-256": `sha256=${hexMac(secret, body)}` },
    stripe: { "stripe-signature": `${timed},v0=${hexMac(secret, "older")}` },
    calendly: { "calendly-webhook-signature": timed },
    slack: {
      "x-slack-request-timestamp": String(time),
      "x-slack-signature": `v0=${hexMac(secret, `v0:${time}:${body}`)}`,
    },
    standard_webhooks: {
      "webhook-id": "msg_1",
      "webhook-timestamp": String(time),
      "webhook-signature": `v1a,AAAA v1,${standard.update(`msg_1.${time}.${body}`).digest("base64")}`,
    },
  };
  return made[scheme];
}

const SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
/** The tolerance in seconds; null if the scheme has no time. */
const TOLERANCE: Readonly<Record<SignatureScheme, number | null>> = {
  service: null,
  github: null,
  stripe: 300,
  calendly: 180,
  slack: 300,
  standard_webhooks: 300,
};

// https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
test("GitHub's documented example verifies", async () => {
  const headers = {
    "x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
  };
  const sent = { secret: "It's a Secret to Everybody", headers, body: "Hello, World!", now: NOW };
  expect(await holds("github", sent)).toBe(true);
  expect(await holds("github", { ...sent, body: "Hello, World" })).toBe(false);
});

// https://api.slack.com/authentication/verifying-requests-from-slack
test("Slack's documented example verifies at its time but not five minutes later", async () => {
  const sent = {
    secret: "8f742231b10e8888abcd99yyyzzz85a5",
    headers: {
      "x-slack-request-timestamp": "1531420618",
      "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
    },
    body:
      "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar" +
      "&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com" +
      "%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c",
  };
  expect(await holds("slack", { ...sent, now: 1_531_420_618 })).toBe(true);
  expect(await holds("slack", { ...sent, now: 1_531_420_618 + 301 })).toBe(false);
});

// The libraries' own test, https://github.com/standard-webhooks/standard-webhooks
test("the example of Standard Webhooks verifies with and without the secret's prefix", async () => {
  const headers = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  };
  for (const secret of ["MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]) {
    const sent = { secret, headers, body: '{"test": 2432232314}', now: 1_614_265_330 };
    expect(await holds("standard_webhooks", sent)).toBe(true);
  }
});

test.each(SIGNATURE_SCHEMES)("%s: a changed byte of body, MAC or secret fails verification", async (scheme) => {
  const body = '{"a":1}';
  const headers = sentBy(scheme, SECRET, body, NOW);
  const sent = { secret: SECRET, headers, body, now: NOW };
  expect(await holds(scheme, sent)).toBe(true);
  expect(await holds(scheme, { ...sent, body: '{"a":2}' })).toBe(false);
  expect(await holds(scheme, { ...sent, secret: SECRET.replace("MDEy", "MDEz") })).toBe(false);
  const [name = "", value = ""] = Object.entries(headers).at(-1) ?? [];
  const at = scheme === "stripe" ? value.indexOf("v1=") + 5 : value.length - 3;
  const flipped = value.slice(0, at) + (value[at] === "a" ? "b" : "a") + value.slice(at + 1);
  expect(await holds(scheme, { ...sent, headers: { ...headers, [name]: flipped } })).toBe(false);
  expect(await holds(scheme, { ...sent, headers: {} })).toBe(false);
});

test.each(SIGNATURE_SCHEMES)("%s: a time is valid up to the last second of its tolerance", async (scheme) => {
  const tolerance = TOLERANCE[scheme];
  const at = async (seconds: number): Promise<boolean> =>
    await holds(scheme, { secret: SECRET, headers: sentBy(scheme, SECRET, "{}", NOW - seconds), body: "{}", now: NOW });
  if (tolerance === null) return expect(await at(1_000_000)).toBe(true);
  return expect(await Promise.all([tolerance, tolerance + 1, -tolerance, -tolerance - 1].map(at))).toEqual([
    true,
    false,
    true,
    false,
  ]);
});

test.each(SIGNATURE_SCHEMES)(
  "%s: the service's own signature is valid only for a scheme without a time",
  async (scheme) => {
    const own = { "x-service-inbound-signature": hexMac(SECRET, "{}") };
    const isTimeless = TOLERANCE[scheme] === null;
    expect(await holds(scheme, { secret: SECRET, headers: own, body: "{}", now: NOW })).toBe(isTimeless);
    const wrong = sentBy(scheme, `${SECRET.slice(0, -2)}g=`, "other", NOW);
    expect(await holds(scheme, { secret: SECRET, headers: { ...own, ...wrong }, body: "{}", now: NOW })).toBe(false);
  },
);

test("one correct MAC of several is enough while a sender rotates its secret", async () => {
  const body = "{}";
  const right = hexMac(SECRET, `${NOW}.${body}`);
  const sent = async (header: string): Promise<boolean> =>
    await holds("stripe", { secret: SECRET, headers: { "stripe-signature": header }, body, now: NOW });
  expect(await sent(`t=${NOW},v1=${"0".repeat(64)},v1=${right}`)).toBe(true);
  expect(await sent(`t=${NOW},v1=${"0".repeat(64)}`)).toBe(false);
});

test("an ambiguous or malformed header verifies nothing", async () => {
  const right = hexMac(SECRET, `${NOW}.{}`);
  const headers = [
    `t=${NOW},t=${NOW - 1000},v1=${right}`,
    `v1=${right}`,
    `t=,v1=${right}`,
    `t=NaN,v1=${right}`,
    `t=-${NOW},v1=${right}`,
    `t=${NOW}`,
    `t=${NOW},v0=${right}`,
    "",
  ];
  for (const header of headers) {
    const sent = { secret: SECRET, headers: { "stripe-signature": header }, body: "{}", now: NOW };
    expect([header, await holds("stripe", sent)]).toEqual([header, false]);
  }
});

test("a timed signature cannot be replayed through the service's own scheme", async () => {
  const { "stripe-signature": header = "" } = sentBy("stripe", SECRET, '{"a":1}', NOW);
  const mac = /v1=(\w+)/.exec(header)?.[1] ?? "";
  const replayed = { secret: SECRET, headers: { "x-service-inbound-signature": mac }, now: NOW + 1_000_000 };
  expect(await holds("stripe", { ...replayed, body: '{"a":1}' })).toBe(false);
  // The MAC is valid only for the time followed by the body, which is not JSON.
  expect(() => JSON.parse(`${NOW}.{"a":1}`)).toThrow(SyntaxError);
});

test("a secret without valid base64 is refused only for Standard Webhooks", async () => {
  expect(secretFault(namedSchemes.standard_webhooks, "not base64!")).toMatch(/base64/);
  expect(secretFault(namedSchemes.standard_webhooks, SECRET)).toBeUndefined();
  expect(secretFault(namedSchemes.github, "not base64!")).toBeUndefined();
});
