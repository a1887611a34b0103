import { createServer } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startMailServer } from "../../testing/mail-server.ts";
import type { MailServer } from "../../testing/mail-server.ts";
import { mailCheck } from "./mail-check.ts";

const SECRET = "p:ss/word";
let server: MailServer;

beforeAll(async () => {
  server = await startMailServer("post@example.com", SECRET);
});
afterAll(async () => await server.close());

test("the doctor signs in to the mail server and says what to do", async () => {
  const settings = { from: "junction@example.com", requiresTls: true };
  const check = async (smtpUrl: string) => await mailCheck({ mail: { ...settings, smtpUrl } });
  expect(await check(server.url)).toMatchObject({ status: "ok" });
  const wrong = server.url.replace(encodeURIComponent(SECRET), "hunter2");
  const refused = await check(wrong);
  expect(refused).toMatchObject({ status: "failed", detail: expect.stringContaining("authentication") });
  expect(JSON.stringify(refused)).not.toContain("hunter2");
  expect(await check("smtp://127.0.0.1:9")).toMatchObject({
    status: "failed",
    detail: expect.stringContaining("connection"),
  });
  expect(await mailCheck({ mail: null })).toMatchObject({ status: "skipped" });
});

test("a server on another machine must offer TLS unless the operator allows it without", async () => {
  // 0.0.0.0 leads to this machine, but is not a loopback address.
  const plain = (requiresTls: boolean) => ({
    mail: { smtpUrl: server.url.replace("127.0.0.1", "0.0.0.0"), from: "a@example.com", requiresTls },
  });
  expect(await mailCheck(plain(true))).toMatchObject({ status: "failed", detail: expect.stringContaining("(tls)") });
  expect(await mailCheck(plain(false))).toMatchObject({ status: "ok" });
});

test("a server that says nothing does not hold a worker permanently", async () => {
  const silent = createServer(() => undefined).listen(0, "127.0.0.1");
  await new Promise((resolve) => silent.once("listening", resolve));
  const at = silent.address();
  const port = typeof at === "object" && at !== null ? at.port : 0;
  expect(
    await mailCheck({ mail: { smtpUrl: `smtp://127.0.0.1:${port}`, from: "a@example.com", requiresTls: true } }),
  ).toMatchObject({
    status: "failed",
    detail: expect.stringContaining("timeout"),
  });
  silent.close();
});
