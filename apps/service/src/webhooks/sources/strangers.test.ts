import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeSource } from "../../testing/inbound.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";
import { scanJson } from "../../lib/lib.ts";

const SECRET = "a secret of a sender";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => {
  await service.close();
});

function mac(text: string): string {
  return createHmac("sha256", SECRET).update(text).digest("hex");
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
    const sendEight = async (text: string): Promise<void> => {
      const answers = await Promise.all(
        Array.from({ length: 8 }, async () => await source.sendAs({ "Content-Type": type }, text)),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    };
    // No parser reads further than its first letter: what sending and refusing eight requests costs.
    const plain = "a".repeat(body.length);
    await sendEight(body);
    // Reading eight costly ones takes longer than this.
    const read = await costOf(() => [1, 2, 3].map(() => scanJson(Buffer.from(ESCAPED_NAMES))));
    // Other tests leave work behind in this process, which also costs: one quiet round is enough.
    const rounds: boolean[] = [];
    while (!rounds.includes(true) && rounds.length < 10) {
      const most = (await costOf(async () => await sendEight(plain))) + read;
      rounds.push((await costOf(async () => await sendEight(body))) < most);
    }
    expect(rounds).toContain(true);
  });
});

describe("an attacker who recorded a request", () => {
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
});

describe("a sender with the secret", () => {
  test.each(["many parts", "many attributes"])("gets a reason for a body of %s", async (name) => {
    const [type = "", body = ""] = COSTLY[name] ?? [];
    const source = await makeSource(service, { contact: "none" });
    expect((await source.send(body, { "Content-Type": type })).body["status"]).toBe("unmapped");
    const [receipt] = await source.receipts();
    expect(receipt?.["reason"]).toMatch(/too many|more than/);
  });
});
