import { hash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { signingSuite } from "../../../../../tools/aws/programs.ts";
import { hide, instant } from "../../lib/lib.ts";
import { startAwsPeer } from "../../testing/aws.ts";
import type { AwsPeer } from "../../testing/aws.ts";
import { createAwsSigner, encodeStrictly } from "./aws-signature.ts";

let peer: AwsPeer;
beforeAll(async () => {
  peer = await startAwsPeer();
}, 300_000);
afterAll(async () => {
  await peer.stop();
});

interface Context {
  readonly credentials: {
    readonly access_key_id: string;
    readonly secret_access_key: string;
    readonly token?: string;
  };
  readonly region: string;
  readonly service: string;
  readonly normalize: boolean;
  readonly sign_body: boolean;
  readonly timestamp: string;
}

/** Requests that the drivers cannot make: several headers of one name, session tokens, and URLs that are not encoded or normalized. */
const NOT_OURS = /^double|duplicate|multiline|value-order|token|unnormalized|header-before|get-space|get-utf8/;

test("the signatures of AWS's published test suite are ours", async () => {
  const cases = (await signingSuite()).filter(({ name }) => !NOT_OURS.test(name));
  expect(cases.length).toBeGreaterThan(20);
  for (const each of cases) {
    const context = JSON.parse(await each.file("context.json")) as Context;
    const { method, url, headers, body } = requestOf(await each.file("request.txt"));
    const sign = createAwsSigner({
      accessKeyId: context.credentials.access_key_id,
      secret: hide(context.credentials.secret_access_key),
      region: context.region,
      service: context.service,
    });
    const bodyHash = hash("sha256", body, "hex");
    const all = context.sign_body ? { ...headers, "x-amz-content-sha256": bodyHash } : headers;
    const signed = sign({ method, url, headers: all, bodyHash }, instant(Date.parse(context.timestamp)));
    const expected = (await each.file("header-signature.txt")).trim();
    expect(`${each.name} ${signed["authorization"]?.split("Signature=").at(-1)}`).toBe(`${each.name} ${expected}`);
  }
});

function requestOf(text: string) {
  const [head = "", body = ""] = text.split(/\r?\n\r?\n/);
  const [first = "", ...lines] = head.trimEnd().split(/\r?\n/);
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1)]),
  );
  const { host = "", ...others } = headers;
  const [method = ""] = first.split(" ");
  const target = first.slice(method.length + 1, first.lastIndexOf(" "));
  return { method, url: new URL(`https://${host.trim()}${target}`), headers: others, body };
}

test.each([
  {
    service: "sqs",
    method: "POST",
    url: "https://sqs.eu-west-1.amazonaws.com/",
    headers: { "content-type": "application/x-amz-json-1.0" },
    body: "ü{}",
  },
  {
    service: "sns",
    method: "POST",
    url: "https://sns.example.test:8443/under/a%20path",
    headers: { "content-type": "a/b; charset=utf-8" },
    body: "a=b+c",
  },
  {
    service: "s3",
    method: "PUT",
    url: `https://s3.test/b/${encodeStrictly("a b+c~d'(é)*!/")}%2F.gz`,
    headers: { "if-none-match": "*" },
    body: "",
  },
  { service: "s3", method: "GET", url: "https://b.s3.eu-west-1.amazonaws.com/?location=", headers: {}, body: "" },
  {
    service: "events",
    method: "POST",
    url: "https://events.eu-west-1.amazonaws.com/?b=2&a=1&a=%20",
    headers: { "x-amz-target": " a   b " },
    body: "x",
  },
])("botocore signs a $method of $service as we do", async ({ service, ...request }) => {
  const { method, url, headers, body } = request;
  const key = { accessKeyId: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };
  const theirs = await peer.sign(key, service, request);
  const time = theirs["X-Amz-Date"]?.replace(/^(....)(..)(..T..)(..)(..Z)$/, "$1-$2-$3:$4:$5") ?? "";
  const at = instant(Date.parse(time));
  const bodyHash = hash("sha256", body, "hex");
  const sign = createAwsSigner({ ...key, secret: hide(key.secret), region: "eu-west-1", service });
  const all = service === "s3" ? { ...headers, "x-amz-content-sha256": bodyHash } : headers;
  expect(sign({ method, url: new URL(url), headers: all, bodyHash }, at)["authorization"]).toBe(
    theirs["Authorization"],
  );
});
