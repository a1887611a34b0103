import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { pathWithoutCredentials, pointerWithoutCredentials, withoutKeys } from "./credential-text.ts";
import { longTexts } from "../testing/fuzz.ts";

const KEY = `jn_live_${"a1B2c3D4e5F6".repeat(4)}X`;
const TOKEN = "q3vZ8wL5xYb2NcRkq3vZ8wL5xYb2NcRkq3vZ8wL5xYb";
const ID = "dlv_0000000001m7w4q17jeay9df1b7sqp908g";

test.each([
  `/v1/keys/${KEY}`,
  `/v1/keys/${KEY}/roll`,
  `/v1/keys/${KEY.slice(0, 20)}`,
  `/v1/keys/x${KEY}`,
  `/v1/keys/${KEY}%zz`,
  `/v1/keys/${[...Buffer.from(KEY)].map((byte) => `%${byte.toString(16)}`).join("")}`,
  `/v1/keys/jn%5Ftest%5F${TOKEN}`,
  `/v1/keys/whsec_MTIzNDU2Nzg5/MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTI=`,
  "/v1/keys/Ab-cd_Ef-gh_Ij-kl_Mn-op_Qr3",
  "/v1/keys/Ab-cd_Ef-gh_Ij-kl_Mn-op_Qr3%zz",
  "/v1/keys/%zz.q3vZ8wL5x_b2NcRkq3vZ8wL5x_b2NcRkq3vZ8wL5x_b",
  `/v1/keys/${[...Buffer.from(KEY)].map((byte) => `%${byte.toString(16)}`).join("")}%zz`,
  `/v1/keys/c2VjcmV0+2VjcmV0%2FzZWNyZXRzZWNyZXQ=`,
])("%s is cut before its key", (path) => {
  expect(pathWithoutCredentials(path)).toBe("/v1/keys/***");
});

test.each([
  [`/inbox/${TOKEN}`, "/inbox/***"],
  [`/inbox/${TOKEN}/behaviour`, "/inbox/***"],
  [`/v1/connectors/crm/webhook/${TOKEN}`, "/v1/connectors/crm/webhook/***"],
  [`/${"tokenwithoutanydigit".repeat(2)}`, "/***"],
  [`http://user:${KEY}@127.0.0.1/v1/keys`, "/v1/keys"],
])("%s is shown as %s", (path, shown) => {
  expect(pathWithoutCredentials(path)).toBe(shown);
});

test.each([
  `/v1/deliveries/${ID}/attempts`,
  `/v1/deliveries/${ID}x`,
  "/v1/event-types/order.created",
  "/v1/customers/cus_NffrFeUfNV2Hib",
  "/v1/action-contracts/billing.refund_with_a_very_long_name/versions",
  "/v1/inboxes/my-own-inbox-of-2026-for-tests",
  "/v1/keys/123e4567-e89b-12d3-a456-426614174000",
  "/",
  "",
  "/v1/events/%zz",
])("%s stays as it is", (path) => {
  expect(pathWithoutCredentials(path)).toBe(path);
  expect(pathWithoutCredentials(`${path}?key=${KEY}#${KEY}`)).toBe(path);
});

test("of random tokens, no path and no pointer shows one", () => {
  const tokens = Array.from({ length: 20_000 }, () => randomBytes(32).toString("base64url"));
  const shown = tokens.filter(
    (token) =>
      [token, `${token}%zz`, `x:${token}`].some((segment) =>
        pathWithoutCredentials(`/v1/keys/${segment}`).includes(token),
      ) || pointerWithoutCredentials(`/headers/${token}`).includes(token),
  );
  expect(shown).toEqual([]);
});

test("a text loses its keys and keeps the rest", () => {
  expect(withoutKeys(`No ${KEY}, no whsec_${TOKEN}; a jn_live_ key`)).toBe("No ***, no ***; a jn_live_ key");
});

test("a pointer loses the names that hold a credential and keeps the rest", () => {
  expect(pointerWithoutCredentials(`/headers/${TOKEN}/0`)).toBe("/headers/***/0");
  expect(pointerWithoutCredentials("/query/c2VjcmV0c2Vj~1cmV0c2VjcmV0")).toBe("/query/***");
  for (const pointer of ["", "/", "/deliveries/0/endpoint_id", "/a~1b~0c", `/filter/${ID}`])
    expect(pointerWithoutCredentials(pointer)).toBe(pointer);
});

test("long texts are read in linear time", () => {
  for (const text of longTexts("jn_live_", "whsec_", "a1", "/", "%41", "jn_live_a")) {
    expect(pathWithoutCredentials(text)).toBeTypeOf("string");
    expect(pointerWithoutCredentials(text)).toBeTypeOf("string");
    expect(withoutKeys(text)).toBeTypeOf("string");
  }
});
