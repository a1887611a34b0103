import { expect, test } from "vitest";
import { askPublic } from "./public.ts";

const BODY = { password: "correct horse battery staple" };

test.each(["http://127.example.com", "http://127.0.0.1.example.com", "http://example.com", "ftp://127.0.0.1"])(
  "secrets are not sent to %s",
  async (baseUrl) => {
    await expect(askPublic(baseUrl, "/v1/auth/setup", { body: BODY })).rejects.toThrow("must start with https://");
  },
);

test.each(["http://127.0.0.1:9", "http://127.9.9.9:9", "http://[::1]:9", "http://localhost:9"])(
  "secrets are sent to %s",
  async (baseUrl) => {
    await expect(askPublic(baseUrl, "/v1/auth/setup", { body: BODY })).rejects.toThrow("No response from");
  },
);
