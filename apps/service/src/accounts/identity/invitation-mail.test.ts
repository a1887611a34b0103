import { expect, test } from "vitest";
import { uuidOf } from "../../testing/keys.ts";
import { startMailServer } from "../../testing/mail-server.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed } from "../../testing/test-service.ts";

test("an invitation is also sent by e-mail, with the link that the inviter sees", async () => {
  const server = await startMailServer("junction@example.com", "secret");
  const mailing = await startService({ env: { ...UNLIMITED, JUNCTION_SMTP_URL: server.url } });
  const invited = async (email: string): Promise<Parsed> =>
    (await mailing.api("POST", "/v1/members/invitations", { email, role: "operator" })).body;
  const first = await invited("linus@example.com");
  expect(first).toMatchObject({ emailed: true });
  await mailing.until("/v1/mails?state=sent", ({ data }) => data.length === 1);
  const [sent] = server.mails;
  expect(sent?.to).toEqual(["linus@example.com"]);
  const text = sent?.data.replaceAll("=\r\n", "").replaceAll("=3D", "=");
  expect(text).toContain(String(first["invite_url"]));
  const { text: listed, body } = await mailing.api("GET", "/v1/mails");
  expect(body["data"]).toMatchObject([
    { purpose: "invitation", recipient: "l•••@example.com", state: "sent", attempts: 1 },
  ]);
  expect(listed).not.toContain("token");
  const [stored] = await mailing.database.query("select to_jsonb(m)::text as row from mail m");
  expect(String(stored?.["row"])).not.toContain(String(first["invite_url"]).split("token=")[1]);
  // A withdrawn invitation is not sent.
  const { db, people } = mailing.service;
  const row = await db.query.selectFrom("mail").selectAll().executeTakeFirstOrThrow();
  await mailing.api("DELETE", `/v1/members/invitations/${String(first["id"])}`);
  const facts = JSON.stringify({ invitation_id: uuidOf(String(first["id"])) });
  expect(await people.mails["invitation"]?.({ ...row, facts })).toMatchObject({ skipped: expect.any(String) });
  await mailing.close();
  await server.close();
});

test("without a mail server, the answer says that the link was not sent", async () => {
  const off = await startService();
  const { body } = await off.api("POST", "/v1/members/invitations", { email: "ken@example.com", role: "operator" });
  expect(body["emailed"]).toBe(false);
  expect((await off.api("GET", "/v1/mails")).body["data"]).toEqual([]);
  await off.close();
});
