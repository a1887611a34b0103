import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { hide, instant, systemClock } from "../../lib/lib.ts";
import { headerFrom } from "./placeholders.ts";
import type { Scheme } from "./scheme.ts";
import { createVerifier } from "./verifier.ts";

const NO_NET = { send: async () => await Promise.reject(new Error("no scheme of these reads an address")) };
const NOW = Date.parse("2026-11-28T22:00:00.250Z");
const URL_OF_SOURCE = "https://junction.example.com/api/v1/inbound.php?t=x";
const SECRET = "example-only-secret-0001";
const BODY = '{"event":"a.b"}';

interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly url?: string;
  readonly charset?: string;
}

async function holds(scheme: object, { headers, body = BODY, url = URL_OF_SOURCE, charset }: Sent): Promise<boolean> {
  const clock = { ...systemClock, now: () => instant(NOW) };
  const nothing = { head: () => undefined, json: async () => await Promise.resolve(undefined) };
  const sent = { method: "POST", url, header: headerFrom(headers), body: Buffer.from(body), ...nothing };
  const request = { ...sent, ...(charset === undefined ? {} : { charset }) };
  const { verify } = createVerifier({ net: NO_NET, clock });
  return (await verify(scheme as Scheme, [hide(SECRET)], request)) === "valid";
}

const HMAC = { kind: "hmac", algorithm: "sha256", encoding: "hex", header: "X-Signature" };
const mac = (text: string, encoding: "hex" | "base64" | "base64url" = "hex"): string =>
  createHmac("sha256", SECRET).update(text).digest(encoding);
const HEX = mac(BODY);

test.each<[string, object, string, boolean]>([
  ["in capitals", {}, HEX.toUpperCase(), true],
  ["with its prefix in capitals", { prefix: "sha256=" }, `SHA256=${HEX}`, true],
  ["with a space behind its prefix", { prefix: "sha256=" }, `sha256= ${HEX}`, true],
  ["that was sent twice and differs", { prefix: "sha256=" }, `sha256=${HEX}, sha256=00`, false],
  ["without its prefix", { prefix: "sha256=" }, HEX, false],
  ["with another prefix", { prefix: "sha256=" }, `sha512=${HEX}`, false],
  ["in base64 for URLs", { encoding: "base64" }, mac(BODY, "base64url"), true],
  ["in base64 with its end", { encoding: "base64url" }, mac(BODY, "base64"), true],
  ["with something behind it", {}, `${HEX}00`, false],
  ["among others, with spaces", { format: "list", separator: ",", prefix: "v1=" }, `v0=00 , v1=${HEX}`, true],
  ["of one member, twice", { format: "pairs", signature_member: "v1" }, `v1=00,v1=${HEX}`, true],
  ["that is empty", {}, "", false],
])("a signature %s", async (_name, more, value, valid) => {
  expect(await holds({ ...HMAC, ...more }, { headers: { "X-Signature": value } })).toBe(valid);
});

test.each<[string, string, boolean]>([
  ["seconds", "1795903200", true],
  ["seconds", "1795903200.250", true],
  ["seconds", "1795903200250", false],
  ["seconds", "1795902800", false],
  ["milliseconds", "1795903200250", true],
  ["milliseconds", "1795903200250.5", true],
  ["milliseconds", "1795903200", false],
  ["rfc3339", "2026-11-28T22:00:00Z", true],
  ["rfc3339", "2026-11-28t22:00:00.123456789123z", true],
  ["rfc3339", "2026-11-28 23:00:00,5+01:00", true],
  ["rfc3339", "2026-11-29T00:00:00+0200", true],
  ["rfc3339", "2026-11-28T22:00:00", false],
  ["rfc3339", "2026-11-28T22:00:00+02:00", false],
  ["rfc3339", "2026-11-31T22:00:00Z", false],
])("a time in %s as %s", async (unit, time, valid) => {
  const scheme = { ...HMAC, signed: "{timestamp}.{body}", timestamp_header: "X-Time", timestamp_unit: unit };
  const headers = { "X-Time": time, "X-Signature": mac(`${time}.${BODY}`) };
  expect(await holds(scheme, { headers })).toBe(valid);
});

test.each<[string, string, boolean]>([
  [URL_OF_SOURCE, URL_OF_SOURCE, true],
  [URL_OF_SOURCE, "https://junction.example.com:443/api/v1/inbound.php?t=x", true],
  ["http://junction.example.com/x", "http://junction.example.com:80/x", true],
  ["https://junction.example.com:8443/x?a=1", "https://junction.example.com/x?a=1", true],
  ["https://junction.example.com:8443/x", "https://junction.example.com:443/x", false],
  [URL_OF_SOURCE, "http://junction.example.com/api/v1/inbound.php?t=x", false],
  [URL_OF_SOURCE, "https://junction.example.com.evil.example/api/v1/inbound.php?t=x", false],
])("%s signed as %s", async (url, signed, valid) => {
  const scheme = { ...HMAC, signed: "{url}{body}" };
  expect(await holds(scheme, { headers: { "X-Signature": mac(signed + BODY) }, url })).toBe(valid);
});

const FORM = "application/x-www-form-urlencoded";

test.each<[type: string, body: string | Buffer, signed: string, valid: boolean]>([
  [FORM, "b=Zo%C3%AB&a=2&a=1&a=1", "a1a2bZo\u00EB", true],
  [`${FORM}; charset=ISO-8859-1`, "b=Zo%EB&a=1", "a1bZo\u00EB", true],
  [`${FORM}; charset="Shift_JIS"`, Buffer.from([0x62, 0x3d, 0x83, 0x5c]), "b\u30BD", true],
  [FORM, "b=Zo%EB", "bZo\uFFFD", false],
  [FORM, "b=Zo%EB", "", false],
  [`${FORM}; charset=x-none`, "b=1", "b1", false],
  [`${FORM}; charset=x-none`, "b=1", "", false],
  [FORM, `b=${"x".repeat(70_000)}`, "", false],
  ["application/json", BODY, "", true],
])("a form is signed in its character set (%#)", async (...given) => {
  const [type, body, signed, valid] = given;
  const headers = { "Content-Type": type, "X-Signature": mac(URL_OF_SOURCE + signed) };
  expect(await holds({ ...HMAC, signed: "{url}{form}" }, { headers, body })).toBe(valid);
});

test("a form without a character set is signed in its source's", async () => {
  const scheme = { ...HMAC, signed: "{url}{form}" };
  const headers = { "Content-Type": FORM, "X-Signature": mac(`${URL_OF_SOURCE}bZo\u00EB`) };
  expect(await holds(scheme, { headers, body: "b=Zo%EB", charset: "windows-1252" })).toBe(true);
  expect(await holds(scheme, { headers, body: "b=Zo%EB" })).toBe(false);
});

test("a token is behind its prefix in any case", async () => {
  const scheme = { kind: "token", header: "Authorization", prefix: "Bearer " };
  for (const [value, valid] of [
    [`Bearer ${SECRET}`, true],
    [`bearer ${SECRET}`, true],
    [`Basic ${SECRET}`, false],
    [SECRET, false],
  ] as const)
    expect(await holds(scheme, { headers: { Authorization: value } })).toBe(valid);
});
