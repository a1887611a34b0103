import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { hide, instant, scanJson, systemClock } from "../../lib/lib.ts";
import { processorMs } from "../../testing/processor-time.ts";
import { areElementsProven, elementOnces } from "./element-proofs.ts";
import type { SentRequest } from "./placeholders.ts";
import type { Scheme } from "./scheme.ts";
import { headOf } from "./unproven.ts";
import { createVerifier } from "./verifier.ts";

const NOW = Date.parse("2026-11-25T12:00:00Z");
const verifier = createVerifier({
  net: { send: async () => await Promise.reject(new Error("offline")) },
  clock: { ...systemClock, now: () => instant(NOW) },
});
const secrets = [hide("a-secret-of-ours")];
const TOKEN: Scheme = { kind: "token", path: "$.value[0].clientState" };
const SIGNED: Scheme = {
  kind: "hmac",
  algorithm: "sha256",
  encoding: "hex",
  signature_path: "$.data.items[0].mac",
  signed: "{body:$.shop}:{body:$.data.items[0].id}:{body:$.data.items[0].amount}",
};

function requestOf(text: string): SentRequest {
  const body = Buffer.from(text);
  return {
    method: "POST",
    url: "https://junction.example.com/",
    header: () => undefined,
    body,
    head: () => headOf(body),
    json: async () => await Promise.resolve(scanJson(body)),
  };
}

async function areProven(scheme: Scheme, each: string | null, text: string): Promise<boolean> {
  return await areElementsProven(verifier, { scheme, secrets, mapping: { each } }, requestOf(text));
}

/** An item whose amount is signed as it is spelled. */
function item(id: string, amount: string): string {
  const mac = createHmac("sha256", "a-secret-of-ours").update(`mill:${id}:${amount}`).digest("hex");
  return `{"id":"${id}","amount":${amount},"mac":"${mac}"}`;
}

function order(...items: readonly string[]): string {
  return `{"shop":"mill","data":{"items":[${items.join(",")}]}}`;
}

test("a token in each element of a list is compared for each", async () => {
  const [ours, other] = ['{"clientState":"a-secret-of-ours"}', '{"clientState":"another"}'];
  expect(await areProven(TOKEN, "$.value", `{"value":[${ours},${ours},${ours}]}`)).toBe(true);
  expect(await areProven(TOKEN, "$.value", `{"value":[${ours},${ours},${other}]}`)).toBe(false);
  expect(await areProven(TOKEN, "$['value']", `{"value":[${ours},{}]}`)).toBe(false);
  expect(await areProven(TOKEN, "$.value", `{"value":[${ours},null,7]}`)).toBe(false);
});

test("a signature in each element is verified, over numbers as they are spelled", async () => {
  expect(await areProven(SIGNED, "$.data.items", order(item("1", "1.50"), item("2", "2e0"), item("3", "7")))).toBe(
    true,
  );
  const forged = item("2", "2").replace('"amount":2', '"amount":2.0');
  expect(await areProven(SIGNED, "$.data.items", order(item("1", "1.50"), forged))).toBe(false);
  const borrowed = item("1", "1.50").replace('"id":"1"', '"id":"2"');
  expect(await areProven(SIGNED, "$.data.items", order(item("1", "1.50"), borrowed))).toBe(false);
});

test("elements need no proof where it stands elsewhere, or where they become no events", async () => {
  const header: Scheme = { kind: "token", header: "X-Token" };
  expect(await areProven(header, "$.value", '{"value":[{},{}]}')).toBe(true);
  expect(await areProven(TOKEN, null, '{"value":[{"clientState":"a-secret-of-ours"},{}]}')).toBe(true);
  expect(await areProven(TOKEN, "$.other", '{"value":[{"clientState":"a-secret-of-ours"},{}],"other":[1,2]}')).toBe(
    true,
  );
});

test("what is signed of each element counts once by itself", async () => {
  const proof = { scheme: SIGNED, mapping: { each: "$.data.items" } };
  const [first, second] = (await elementOnces(proof, requestOf(order(item("1", "5"), item("2", "6"))))) ?? [];
  const [again, third] = (await elementOnces(proof, requestOf(order(item("2", "6"), item("3", "6"))))) ?? [];
  expect(again).toEqual(second);
  expect(new Set([first, second, third].map((hash) => hash?.toString("hex"))).size).toBe(3);
  expect(await elementOnces({ ...proof, scheme: { kind: "basic" } }, requestOf("{}"))).toBeUndefined();
});

test("a thousand signed elements take less than a second", async () => {
  const text = order(...Array.from({ length: 1000 }, (_, at) => item(String(at), `${at}.10`)));
  const begun = processorMs();
  expect(await areProven(SIGNED, "$.data.items", text)).toBe(true);
  expect(processorMs() - begun).toBeLessThan(1000);
});
