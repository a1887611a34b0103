import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createIdMaker, systemClock } from "../../lib/lib.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";
import { startMailServer } from "../../testing/mail-server.ts";
import type { MailServer } from "../../testing/mail-server.ts";
import { startService } from "../../testing/service.ts";
import type { TestService } from "../../testing/test-service.ts";
import { createTelemetry } from "../telemetry/telemetry.ts";
import { createTasks } from "../tasks/tasks.ts";
import { createMail, factsOf } from "./mail.ts";
import type { ComposedMail, Mail, MailPlace, MailRow, NewMail } from "./mail.ts";
import { htmlText, mailAddress, plainText, subjectLine } from "./mail-text.ts";

const USER = "post@example.com";
const SECRET = "p:ss/word";
const telemetry = createTelemetry("silent");
let server: MailServer;
let service: TestService;
let place: MailPlace;
let mail: Mail;
let compose: (row: MailRow) => ComposedMail;

beforeAll(async () => {
  server = await startMailServer(USER, SECRET);
  service = await startService();
  const [row] = await service.database.query<{ bucket: number; tag: Tag; id: Uuid }>(
    "select bucket, tag, id from workspace order by id limit 1",
  );
  place = { bucket: row?.bucket ?? 0, tag: row?.tag ?? "", workspaceId: row?.id ?? null };
  mail = node(server.url);
});
afterAll(async () => {
  await mail.stop();
  await service.close();
  await server.close();
});
beforeEach(() => {
  compose = (row) => ({ to: row.recipient ?? "", subject: "Order", blocks: [factsOf(row)["text"] ?? ""] });
});

function node(smtpUrl: string): Mail {
  const made = createMail({
    db: service.service.db,
    ids: createIdMaker(systemClock),
    tasks: createTasks({ db: service.service.db, ids: createIdMaker(systemClock), log: telemetry.log, works: true }),
    ...telemetry,
    settings: { smtpUrl, from: "junction@example.com", requiresTls: true },
    composers: () => ({ notification: async (row) => await Promise.resolve(compose(row)) }),
  });
  made.start();
  return made;
}

const to = (recipient: string, more: Partial<NewMail> = {}): NewMail => ({
  purpose: "notification",
  memberId: null,
  recipient,
  facts: { text: "It is here." },
  ...more,
});

async function queue(...mails: readonly NewMail[]): Promise<number> {
  const { db } = service.service;
  return await db.at(place.bucket, async () => await db.transaction(async (tx) => await mail.queue(tx, place, mails)));
}

interface Row extends Record<string, unknown> {
  readonly state: string;
  readonly attempts: number;
}

const rowOf = async (recipient: string): Promise<Row | undefined> => {
  const rows = await service.database.query<Row>("select * from mail where recipient = $1 order by id desc", [
    recipient,
  ]);
  return rows[0];
};
const settled = async (recipient: string, state: string): Promise<Row | undefined> => {
  await expect.poll(async () => (await rowOf(recipient))?.state, { timeout: 20_000 }).toBe(state);
  return await rowOf(recipient);
};
const sentTo = (recipient: string) => server.mails.filter((one) => one.to.includes(recipient));

test("a mail is sent once by two nodes, and its facts are erased", async () => {
  const second = node(server.url);
  const addresses = Array.from({ length: 20 }, (_, at) => `once-${at}@example.com`);
  await queue(...addresses.map((one) => to(one)));
  for (const one of addresses) await settled(one, "sent");
  await second.stop();
  expect(addresses.map((one) => sentTo(one).length)).toEqual(addresses.map(() => 1));
  expect(await rowOf("once-0@example.com")).toMatchObject({ facts: null, due_at: null, lease_id: null, attempts: 1 });
  expect(sentTo("once-0@example.com")[0]?.data).toMatch(/^From: junction@example\.com\r$/m);
  expect(sentTo("once-0@example.com")[0]?.data).toMatch(/^Auto-Submitted: auto-generated\r$/m);
});

test("a mail that the server rejects is shown without the server's text", async () => {
  server.refuse(true);
  await queue(to("gone@example.com"));
  const row = await settled("gone@example.com", "failed");
  server.refuse(false);
  expect(row).toMatchObject({
    attempts: 1,
    error_class: "rejected",
    error: "The mail server did not accept the mail (SMTP 550).",
  });
});

test("a mail waits while the server is down, and keeps its id", async () => {
  const port = Number(new URL(server.url).port);
  await server.close();
  await queue(to("later@example.com"));
  await expect
    .poll(async () => (await rowOf("later@example.com"))?.["error_class"], { timeout: 20_000 })
    .toBe("connection");
  expect(await rowOf("later@example.com")).toMatchObject({ state: "waiting", lease_id: null });
  server = await startMailServer(USER, SECRET, { address: "127.0.0.1", port });
  await service.database.query("update mail set due_at = now() where recipient = 'later@example.com'");
  expect(await settled("later@example.com", "sent")).toMatchObject({ attempts: 2, error: null });
});

test("a mail of a killed node is sent by another one", async () => {
  const left = `insert into mail (bucket, tag, id, workspace_id, purpose, recipient, facts, attempts, due_at, lease_id)
    values ($1, $2, gen_random_uuid(), $3, 'notification', $4, '{"text":"x"}', $5, now(), gen_random_uuid())`;
  const { bucket, tag, workspaceId } = place;
  await service.database.query(left, [bucket, tag, workspaceId, "killed@example.com", 1]);
  await service.database.query(left, [bucket, tag, workspaceId, "lost@example.com", 8]);
  expect(await settled("killed@example.com", "sent")).toMatchObject({ attempts: 2 });
  expect(await settled("lost@example.com", "failed")).toMatchObject({ error_class: "lost" });
  expect(sentTo("lost@example.com")).toEqual([]);
});

test("a mail whose reason is gone when it is sent is skipped", async () => {
  compose = () => ({ skipped: "The member left." });
  await queue(to("left@example.com"));
  expect(await settled("left@example.com", "skipped")).toMatchObject({ error: "The member left.", facts: null });
  compose = () => ({ skipped: "", forget: true });
  await queue(to("nobody@example.com"));
  await expect.poll(async () => await rowOf("nobody@example.com"), { timeout: 20_000 }).toBeUndefined();
});

test("reports of one digest are one mail, and the next one keeps its distance", async () => {
  const memberId = "019aa000-0000-7000-8000-000000000001" as Uuid;
  const digest = { name: `approvals:${memberId}`, delaySeconds: 3, spacingSeconds: 600 };
  const news = to("digest@example.com", { memberId, digest });
  const stored = await Promise.all(Array.from({ length: 20 }, async () => await queue(news)));
  expect(stored.reduce((sum, one) => sum + one, 0)).toBe(1);
  await settled("digest@example.com", "sent");
  await queue(news);
  const [next] = await service.database.query<{ away: number }>(
    "select extract(epoch from due_at - now())::int as away from mail where digest = $1",
    [digest.name],
  );
  expect(next?.away).toBeGreaterThan(500);
  await service.database.query("delete from mail where digest = $1", [digest.name]);
});

test("a workspace cannot have more than 1000 mails waiting", async () => {
  const { bucket, tag, workspaceId } = place;
  const fill = `insert into mail (bucket, tag, id, workspace_id, purpose, recipient, due_at)
    select $1, $2, gen_random_uuid(), $3, 'notification', 'full@example.com', now() + interval '1 hour' from generate_series(1, 1000)`;
  await service.database.query(fill, [bucket, tag, workspaceId]);
  expect(await queue(to("more@example.com"))).toBe(0);
  expect(await mail.waiting()).toBe(1000);
  await service.database.query("delete from mail where recipient = 'full@example.com'");
});

test("a workspace above its limit of mails waits, and a mail is not lost", async () => {
  const take = "select rate_take($1::smallint, $2, 'mail.send', 60, 600, 60)";
  await service.database.query(take, [place.bucket, `mail:${place.tag}`]);
  await queue(to("limited@example.com"));
  const isHeld = async (): Promise<boolean> => {
    const [row] = await service.database.query<{ held: boolean }>(
      "select lease_id is null and due_at > now() as held from mail where recipient = 'limited@example.com'",
    );
    return row?.held === true;
  };
  await expect.poll(isHeld, { timeout: 20_000 }).toBe(true);
  expect(await rowOf("limited@example.com")).toMatchObject({ attempts: 0, state: "waiting" });
  await service.database.query("delete from rate_window where operation = 'mail.send'");
  await service.database.query("update mail set due_at = now() where recipient = 'limited@example.com'");
  await settled("limited@example.com", "sent");
});

test("a text cannot add headers, recipients or markup", async () => {
  compose = () => ({
    to: "safe@example.com",
    subject: "Order\r\nBcc: eve@example.com",
    blocks: ["<script>1 & 2</script>"],
  });
  await queue(to("safe@example.com"));
  await settled("safe@example.com", "sent");
  const [sent] = sentTo("safe@example.com");
  expect(sent?.to).toEqual(["safe@example.com"]);
  expect(sent?.data).toMatch(/^Subject: Order Bcc: eve@example\.com\r$/m);
  expect(sent?.data).not.toMatch(/^Bcc:/m);
  expect(sent?.data.replaceAll("=\r\n", "")).toContain("&lt;script&gt;1 &amp; 2&lt;/script&gt;");
  const wrong = [
    "ada@example.com\r\nBcc: eve@example.com",
    "ada@example.com, eve@example.com",
    "<a@example.com>",
    "a",
    "@b.example",
  ];
  expect(wrong.map(mailAddress)).toEqual(wrong.map(() => undefined));
  expect(mailAddress("ada@bücher.example")).toBe("ada@xn--bcher-kva.example");
  compose = () => ({ to: "ada@example.com, eve@example.com", subject: "Order", blocks: [] });
  await queue(to("two@example.com"));
  expect(await settled("two@example.com", "failed")).toMatchObject({ error_class: "address" });
});

test("links are shown with their labels in both forms", () => {
  const text = { subject: "x", blocks: ["Two\nlines.", { label: "Open", url: 'https://a.example/?a=1&b="' }] };
  expect(plainText(text)).toBe('Two\nlines.\n\nOpen:\nhttps://a.example/?a=1&b="\n');
  expect(htmlText(text)).toContain('<p>Two<br>lines.</p><p><a href="https://a.example/?a=1&amp;b=&quot;">Open</a></p>');
  expect(subjectLine(`${"x".repeat(300)}\u2028`)).toHaveLength(200);
});

test("nothing is stored without a mail server", async () => {
  const off = createMail({
    db: service.service.db,
    ids: createIdMaker(systemClock),
    tasks: createTasks({ db: service.service.db, ids: createIdMaker(systemClock), log: telemetry.log, works: true }),
    ...telemetry,
    settings: null,
    composers: () => ({}),
  });
  off.start();
  const stored = await service.service.db.transaction(
    async (tx) => await off.queue(tx, place, [to("off@example.com")]),
  );
  expect([off.isOn, stored, await rowOf("off@example.com")]).toEqual([false, 0, undefined]);
  await off.stop();
});
