import { expect, test } from "vitest";
import { relyingPartyOf, requireRelyingParty } from "./relying-party.ts";

test("passkeys belong to the host of the base URL, regardless of its path", () => {
  expect(relyingPartyOf("https://junction.example.com/at/work")).toEqual({
    id: "junction.example.com",
    origin: "https://junction.example.com",
  });
  expect(relyingPartyOf("http://localhost:4000")).toEqual({ id: "localhost", origin: "http://localhost:4000" });
});

test("an installation on the own machine has passkeys at localhost", () => {
  for (const base of ["http://127.0.0.1:4000", "http://[::1]:4000"])
    expect(relyingPartyOf(base)).toEqual({ id: "localhost", origin: "http://localhost:4000" });
});

test("an IP address or a base URL without https has none", () => {
  for (const base of [
    "https://10.1.2.3",
    "http://192.168.0.4:4000",
    "https://[2001:db8::1]",
    "http://junction.example.com",
  ])
    expect(relyingPartyOf(base)).toBeUndefined();
  expect(() => requireRelyingParty("http://192.168.0.4:4000")).toThrow("conflict");
});
