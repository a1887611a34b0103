import { expect, test } from "vitest";
import { isOwnRedirectUri, isRedirectUri, withParameters } from "./redirect-uri.ts";

const OWN = [
  "https://app.example/callback",
  "https://app.example/callback?tenant=a",
  "http://127.0.0.1:7777/callback",
  "http://localhost/callback",
];

test.each([
  "https://app.example/callback",
  "https://app.example/callback?tenant=a",
  "http://127.0.0.1:7777/callback",
  "http://127.0.0.1:50123/callback",
  "http://127.0.0.1/callback",
  "http://localhost:1/callback",
])("the app's own URI is accepted, on loopback with any port: %s", (uri) => {
  expect(isOwnRedirectUri(OWN, uri)).toBe(true);
});

test.each([
  "https://app.example/callback/",
  "https://app.example/callback/../callback",
  "https://app.example/Callback",
  "https://APP.example/callback",
  "https://app.example:443/callback",
  "https://app.example:8443/callback",
  "https://app.example/callback?tenant=b",
  "https://app.example/callback?",
  "https://app.example/callback#x",
  "https://app.example/callback%2f",
  "https://app.example.evil.example/callback",
  "https://app.example@evil.example/callback",
  "https://evil.example/callback?https://app.example/callback",
  "https://evil.example\\@app.example/callback",
  "https://app.example%2eevil.example/callback",
  "https://аpp.example/callback",
  "https://app.example /callback",
  "https:app.example/callback",
  "http://app.example/callback",
  "http://127.0.0.1:7777/callback2",
  "http://127.0.0.1:7777@evil.example/callback",
  "http://127.0.0.1.evil.example:7777/callback",
  "http://localhost:7777.evil.example/callback",
  "http://127.0.0.1:7777/callback?x=1",
  "http://[::1]:7777/callback",
  "http://127.1:7777/callback",
  "http://2130706433:7777/callback",
  "https://127.0.0.1:7777/callback",
  "http://localhost:/callback",
  "",
])("a URI that only looks like the app's is refused: %s", (uri) => {
  expect(isOwnRedirectUri(OWN, uri)).toBe(false);
});

test.each([
  "javascript:alert(1)",
  "data:text/html,x",
  "file:///etc/passwd",
  "cursor://callback",
  "http://app.example/callback",
  "https://user@app.example/callback",
  "https://user:pass@app.example/callback",
  "https://app.example/#x",
  "https://",
  "https://app.example/\nLocation: https://evil.example",
  `https://app.example/${"a".repeat(500)}`,
])("a URI that is neither https nor on loopback is refused: %s", (uri) => {
  expect(isRedirectUri(uri)).toBe(false);
});

test("parameters are added next to those that the URI has", () => {
  expect(
    withParameters("https://app.example/cb?a=1", { code: "x y", state: undefined, iss: "https://j.example" }),
  ).toBe("https://app.example/cb?a=1&code=x+y&iss=https%3A%2F%2Fj.example");
});
