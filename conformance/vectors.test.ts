import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { hmacHex, signStandard } from "../apps/service/src/platform/outbound-http/outbound-http.ts";

interface WebhookCase {
  readonly name: string;
  readonly secrets: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly ok?: boolean;
  readonly reason?: string;
}

interface ErrorCase {
  readonly name: string;
  readonly status: number;
  readonly code: string;
  readonly retry: boolean;
}

const webhooks = (await vectors("webhooks.json")) as { order: string[]; cases: WebhookCase[] };
const errors = (await vectors("errors.json")) as { cases: ErrorCase[] };
const contract = (await vectors("../openapi/openapi.json")) as {
  "x-errors": Record<string, { status: number; retryable: boolean }>;
};

// Public keys verify only: their signatures have tests of their own.
const signable = ({ ok, secrets }: WebhookCase): boolean =>
  ok === true && !secrets.some((one) => one.startsWith("whpk_"));

for (const one of webhooks.cases.filter(signable)) {
  test(`the service signs as the vector "${one.name}" says`, () => {
    const headers = new Headers(one.headers);
    const body = one.body ?? "";
    const id = headers.get("webhook-id") ?? "";
    // A receiver's file adds the end of a line to a secret, and a gateway joins repeated headers.
    const secrets = one.secrets.map((secret) => secret.trim());
    const signed = secrets.map((secret) => signStandard(secret, id, Number(headers.get("webhook-timestamp")), body));
    const given = headers.get("webhook-signature")?.split(/ |,(?=v\d)/) ?? [];
    expect(signed.some((signature) => given.includes(signature))).toBe(true);
    const older = headers.get("x-service-signature");
    const isOverlap = given.filter((signature) => signature.startsWith("v1,")).length > 1;
    const isOurs = secrets.some((secret) => hmacHex(secret, body) === older);
    expect(isOurs || isOverlap || older === null).toBe(true);
  });
}

test("every reason to refuse a delivery has a case", () => {
  const reasons = new Set(webhooks.cases.flatMap(({ reason }) => reason ?? []));
  expect([...reasons].toSorted()).toEqual(webhooks.order.toSorted());
});

test("what errors.json says of a code is what the catalogue says", () => {
  const known = errors.cases.filter(({ name, code }) => name === code && code in contract["x-errors"]);
  expect(known.length).toBeGreaterThan(30);
  for (const { code, status, retry } of known) {
    const row = contract["x-errors"][code];
    expect({ status, retry }).toEqual({ status: row?.status, retry: row?.retryable });
  }
});

async function vectors(name: string): Promise<unknown> {
  return JSON.parse(await readFile(new URL(name, import.meta.url), "utf8"));
}
