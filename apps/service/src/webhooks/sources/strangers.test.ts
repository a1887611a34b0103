import { createHmac } from "node:crypto";
import { SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeSource } from "../../testing/inbound.ts";
import { nowSeconds } from "../../testing/request-signing.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";
import { scanJson } from "../../lib/lib.ts";
import { senders } from "./senders.ts";

const SECRET = "a secret of a sender";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => {
  await service.close();
});

function mac(text: string, encoding: "hex" | "base64" = "hex"): string {
  return createHmac("sha256", SECRET).update(text).digest(encoding);
}

const ESCAPED_NAMES = `{${Array.from({ length: 50_000 }, (_, at) => `"\\u0061${at}":0`).join(",")}}`;

/** Bodies of almost 1 MiB that cost seconds when a parser reads all of them. */
const COSTLY: Readonly<Record<string, readonly [type: string, body: string]>> = {
  "many parts": ["multipart/form-data; boundary=X", "--X\r\nA:b\r\n\r\n\r\n".repeat(60_000)],
  "many attributes": ["application/xml", `<a ${Array.from({ length: 90_000 }, (_, at) => `a${at}=""`).join(" ")}/>`],
  "many payloads": ["application/x-www-form-urlencoded", `payload=${"[".repeat(120)}&`.repeat(7000)],
  "escaped names": ["application/json", ESCAPED_NAMES],
};

describe("a stranger who knows the URL", () => {
  test.each(Object.entries(COSTLY))("is refused before a body of %s is read", async (_name, [type, body]) => {
    const source = await makeSource(service, { sender: "slack", secret: SECRET });
    const costOf = async (work: () => unknown): Promise<number> => {
      const before = process.cpuUsage();
      await work();
      return process.cpuUsage(before).user;
    };
    const sendEight = async (): Promise<void> => {
      const answers = await Promise.all(
        Array.from({ length: 8 }, async () => await source.sendAs({ "Content-Type": type }, body)),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    };
    await sendEight();
    // Reading one of them takes longer than sending and refusing all.
    const read = await costOf(() => [1, 2, 3].map(() => scanJson(Buffer.from(ESCAPED_NAMES))));
    expect(Math.min(await costOf(sendEight), await costOf(sendEight))).toBeLessThan(read);
  });

  test("cannot use what a handshake signs as the signature of an event", async () => {
    const source = await makeSource(service, { sender: "x_twitter", secret: SECRET });
    for (const forged of ["for_user_id=2244994945", "42", "text", "aGVsbG8="]) {
      const url = `${service.baseUrl}${source.target}&crc_token=${encodeURIComponent(forged)}`;
      const answered = await fetch(url);
      const { response_token: token = "" } = answered.ok ? ((await answered.json()) as { response_token: string }) : {};
      for (const proof of [token, `sha256=${mac(forged, "base64")}`]) {
        for (const type of ["application/x-www-form-urlencoded", "text/plain", "application/json"]) {
          const answer = await source.sendAs({ "Content-Type": type, "X-Twitter-Webhooks-Signature": proof }, forged);
          expect(answer.status === 401 || answer.body["status"] === "unmapped").toBe(true);
        }
      }
    }
    expect((await source.receipts("&status=ok")).filter(({ event_id: id }) => id !== null)).toEqual([]);
    const body = '{"for_user_id":"1"}';
    const signed = { "X-Twitter-Webhooks-Signature": `sha256=${mac(body, "base64")}` };
    expect((await source.sendAs(signed, body)).status).toBe(200);
  });
});

describe("an attacker who recorded a request", () => {
  test("cannot use the signature of a time as that of a body", async () => {
    const source = await makeSource(service, { sender: "slack", secret: SECRET });
    const form = "command=%2Fpay&text=all";
    const old = String(nowSeconds() - 30 * 86_400);
    const recorded = mac(`v0:${old}:${form}`);
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const asBody = { ...headers, "X-Service-Inbound-Signature": recorded };
    expect((await source.sendAs(asBody, `v0:${old}:${form}`)).status).toBe(401);
    expect((await source.sendAs({ ...headers, "X-Service-Inbound-Signature": mac(form) }, form)).status).toBe(401);
  });

  test.each(["github", "shopify", "bitbucket"])("of %s cannot make it new by another id or type", async (key) => {
    const sender = senders.find((one) => one.key === key);
    if (sender?.scheme.kind !== "hmac" || sender.scheme.header === undefined) throw new Error("no such sender");
    const { header, prefix = "", encoding } = sender.scheme;
    const source = await makeSource(service, { sender: key, secret: SECRET });
    const body = `{"action":"opened","number":${key.length}}`;
    const proof = prefix + mac(body, encoding === "base64" ? "base64" : "hex");
    const names = [sender.event_type_header, sender.idempotency_key_header].filter((name) => name !== null);
    const send = async (value: string): Promise<unknown> =>
      (await source.sendAs({ ...Object.fromEntries(names.map((name) => [name, value])), [header]: proof }, body)).body[
        "status"
      ];
    expect([await send("one"), await send("two"), await send("three")]).toEqual(["ok", "duplicate", "duplicate"]);
  });

  test("cannot use up the id of an event that is still to come", async () => {
    const source = await makeSource(service, { sender: "github", secret: SECRET });
    const send = async (body: string, id: string): Promise<unknown> =>
      (
        await source.sendAs(
          { "X-GitHub-Event": "push", "X-GitHub-Delivery": id, "X-Hub-Signature-256": `sha256=${mac(body)}` },
          body,
        )
      ).body["status"];
    expect([await send('{"a":1}', "1"), await send('{"a":1}', "2"), await send('{"a":2}', "2")]).toEqual([
      "ok",
      "duplicate",
      "ok",
    ]);
  });

  test("cannot use an endless token, or one without a hash twice", async () => {
    const source = await makeSource(service, { sender: "monday", secret: SECRET });
    const token = async (end?: string): Promise<string> => {
      const jwt = new SignJWT({ end: end ?? null }).setProtectedHeader({ alg: "HS256" });
      return await (end === undefined ? jwt : jwt.setExpirationTime(end)).sign(Buffer.from(SECRET));
    };
    const send = async (authorization: string, at: number): Promise<unknown> => {
      const answer = await source.sendAs({ Authorization: authorization }, `{"event":{"type":"change","id":${at}}}`);
      return answer.status === 200 ? answer.body["status"] : answer.status;
    };
    expect(await send(await token(), 1)).toBe(401);
    const once = await token("5m");
    expect([await send(once, 2), await send(once, 3)]).toEqual(["ok", "duplicate"]);
  });
});

describe("a sender with the secret", () => {
  test("cannot make more than 1 MiB of data from a body", async () => {
    const source = await makeSource(service, { contact: "none" });
    const form = { "Content-Type": "application/x-www-form-urlencoded" };
    const grown = await source.send(`a=${"\u0001".repeat(1_000_000)}`, form);
    expect([grown.status, grown.body["status"]]).toEqual([200, "unmapped"]);
    expect(await source.receipts()).toMatchObject([{ status: "unmapped", event_id: null }]);
  });

  test.each(["many parts", "many attributes"])("gets a reason for a body of %s", async (name) => {
    const [type = "", body = ""] = COSTLY[name] ?? [];
    const source = await makeSource(service, { contact: "none" });
    expect((await source.send(body, { "Content-Type": type })).body["status"]).toBe("unmapped");
    const [receipt] = await source.receipts();
    expect(receipt?.["reason"]).toMatch(/too many|more than/);
  });
});
