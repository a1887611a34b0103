import { afterAll, beforeAll, expect, test } from "vitest";
import { answersOf, obedient, obeyed, runConnector } from "../../testing/connector-runs.ts";
import type { Call, RunningConnector } from "../../testing/connector-runs.ts";
import { startMailServer } from "../../testing/mail-server.ts";
import type { MailServer } from "../../testing/mail-server.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

const EVENT = "test.mailed";
let server: MailServer;
let service: TestService;
let connector: RunningConnector;

beforeAll(async () => {
  server = await startMailServer("post@example.com", "p:ss/word");
  const env = { ...UNLIMITED, JUNCTION_SMTP_URL: server.url, JUNCTION_MAIL_FROM: "alerts@example.com" };
  service = await startService({ env });
  connector = await runConnector(service, { members: obedient(EVENT), description: { events: [EVENT], mail: true } });
});
afterAll(async () => {
  await service.close();
  await server.close();
});

const mail = (more: object = {}): Call => [
  "mail",
  { to: "ada@example.com", subject: "Order", text: "It is here.", ...more },
];

test("a mail is sent through the operator's server, from the operator's address", async () => {
  const run = await obeyed(service, connector, EVENT, [
    mail({ html: "<p>It is here.</p>", to: ["ada@example.com", "bob@example.com"] }),
  ]);
  expect([run.outcome, answersOf(run)]).toEqual(["ok", [null]]);
  expect(server.mails.at(-1)?.to).toEqual(["ada@example.com", "bob@example.com"]);
  expect(server.mails.at(-1)?.data).toMatch(/^From: alerts@example\.com\r$/m);
  expect(server.mails.at(-1)?.data).toContain("Subject: Order");
  expect(run.services[0]).toMatchObject({
    service: "mail",
    to: ["ada@example.com", "bob@example.com"],
    subject: "Order",
  });
});

test("a mail that could inject headers or reach additional recipients is refused", async () => {
  const wrong = [
    { subject: "Order\r\nBcc: eve@example.com" },
    { subject: "Order\nX: y" },
    { to: "ada@example.com\r\nBcc: eve@example.com" },
    { to: "ada@example.com, eve@example.com" },
    { to: "Ada <ada@example.com>" },
    { to: "ada@example.com>, <eve@example.com" },
    { to: [] },
    { to: Array.from({ length: 11 }, (_, at) => `a${at}@example.com`) },
    { from: "eve@example.com" },
    { attachments: [{ path: "/etc/passwd" }] },
    { text: { path: "/etc/passwd" } },
    { subject: "" },
  ];
  const before = server.mails.length;
  const answers = answersOf(await obeyed(service, connector, EVENT, wrong.map(mail)));
  expect(answers.map((one) => String(one).split(":")[0])).toEqual(Array(wrong.length).fill("invalid"));
  expect(server.mails.length).toBe(before);
});

test("a sent mail is not sent again when its handler is called again", async () => {
  const failing = await runConnector(service, {
    members: `subscribers() { return { "test.mailed.once": ["hear"] }; } async hear() {
      await this.mail({ to: "once@example.com", subject: "Once", text: "x" });
      if (await this.kv.cas("failed", null, true)) throw new Error("afterwards");
    }`,
    description: { events: ["test.mailed.once"], mail: true },
  });
  await service.fire("test.mailed.once");
  await failing.until((run) => run.outcome === "threw");
  await service.database.query("update dispatch_stage set due_at = now() where state = 'waiting'");
  await failing.until((run) => run.outcome === "ok");
  expect(server.mails.filter(({ to }) => to.includes("once@example.com"))).toHaveLength(1);
});

test("an error of the mail server is reported without the server's message", async () => {
  server.refuse(true);
  const [answer] = answersOf(await obeyed(service, connector, EVENT, [mail()]));
  server.refuse(false);
  expect(answer).toBe("failed: The mail server did not accept the mail (SMTP 550).");
});

test("a mail in the sandbox is written to the run log and not sent", async () => {
  const before = server.mails.length;
  await service.api(
    "POST",
    "/v1/events/fire",
    { event: EVENT, data: { calls: [mail()] } },
    { key: service.sandboxKey },
  );
  const [run] = await connector.until(() => true, 1, service.sandboxKey);
  expect(run.services).toMatchObject([
    { service: "mail", sandbox: true, to: "ada@example.com", subject: "Order", text: "It is here." },
  ]);
  expect(server.mails.length).toBe(before);
});

test("a thirty-first mail in one minute is refused", async () => {
  const [place] = await service.database.query("select bucket, tag from connector_run where key = $1 limit 1", [
    connector.key,
  ]);
  await service.database.query("select rate_take($1, $2, 'connector.mail', 30, 500, 30)", [
    place?.["bucket"],
    `connector:${String(place?.["tag"])}:${connector.key}`,
  ]);
  const [answer] = answersOf(await obeyed(service, connector, EVENT, [mail()]));
  expect(answer).toMatch(/^rate_limited: /);
});

test("mail is refused with a reason without a server", async () => {
  const other = await startService({ env: UNLIMITED });
  const mailing = await runConnector(other, { members: obedient(EVENT), description: { events: [EVENT], mail: true } });
  expect(answersOf(await obeyed(other, mailing, EVENT, [mail()]))).toEqual([
    expect.stringContaining("JUNCTION_SMTP_URL"),
  ]);
  await other.close();
});
