import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startMailServer } from "../../testing/mail-server.ts";
import type { MailServer } from "../../testing/mail-server.ts";
import { joined, PASSWORD, signIn, withTotp } from "../../testing/people.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";
import { networkOf } from "../callers/network.ts";

const NEW = "an even longer password";
let server: MailServer;
let service: TestService;

beforeAll(async () => {
  server = await startMailServer("junction@example.com", "secret");
  service = await startService({ env: { ...UNLIMITED, JUNCTION_SMTP_URL: server.url } });
});
beforeEach(async () => void (await service.database.query("delete from rate_window where bucket = 0")));
afterAll(async () => {
  await service.close();
  await server.close();
});

const ask = async (email: string, headers: Record<string, string> = {}): Promise<ApiAnswer> =>
  await service.api("POST", "/v1/password-resets", { email }, { key: null, headers });
const reset = async (token: string, password = NEW): Promise<number> =>
  (await service.api("POST", "/v1/auth/reset", { token, password }, { key: null })).status;
const textsTo = (email: string): string[] =>
  server.mails
    .filter(({ to, data }) => to.includes(email) && !data.includes("Subject: Invitation"))
    .map(({ data }) => data.replaceAll("=\r\n", "").replaceAll("=3D", "="));
const tokensTo = (email: string): string[] =>
  textsTo(email).flatMap((text) => /\/reset\?token=([0-9A-Za-z]{43})/.exec(text)?.[1] ?? []);

/** Returns the links of all mails to the address, once there are as many. */
async function links(email: string, count: number): Promise<string[]> {
  await expect.poll(() => tokensTo(email).length, { timeout: 20_000 }).toBe(count);
  return tokensTo(email);
}

test("a link by e-mail sets the password once and ends all sessions", async () => {
  const person = await joined(service, "developer");
  const asked = await ask(person.email.toUpperCase(), { Host: "evil.example", "X-Forwarded-Host": "evil.example" });
  expect([asked.status, asked.body]).toEqual([202, { object: "password_reset_request", emailed: true }]);
  const [token = ""] = await links(person.email, 1);
  expect(textsTo(person.email)[0]).toContain(`${service.baseUrl}/reset?token=`);
  expect(textsTo(person.email).join()).not.toContain("evil.example");
  const stored = await service.database.query<{ row: string }>(
    "select to_jsonb(m)::text as row from mail m union all select to_jsonb(r)::text from reset_link r",
  );
  expect(stored.map(({ row }) => row).join()).not.toContain(token);
  expect(await reset(token, person.email)).toBe(422);
  expect([await reset(token), await reset(token, `${NEW}!`)]).toEqual([204, 401]);
  expect((await person.call("GET", "/v1/auth/session")).status).toBe(401);
  await signIn(service, { email: person.email, password: NEW });
  await expect.poll(() => textsTo(person.email).length, { timeout: 20_000 }).toBe(2);
  expect(textsTo(person.email)[1]).toContain("Subject: Your password was changed");
  const { text } = await service.api("GET", "/v1/audit?limit=20");
  expect(text).toContain("auth.reset_request");
  expect(text).not.toContain(token);
});

test("an address without an account gets the same answer and leaves no trace", async () => {
  const person = await joined(service, "viewer");
  const gone = await joined(service, "viewer");
  await service.api("DELETE", `/v1/members/${gone.memberId}`);
  const [known, unknown, left] = [await ask(person.email), await ask("nobody@example.com"), await ask(gone.email)];
  expect([unknown.status, unknown.body, left.body]).toEqual([known.status, known.body, known.body]);
  await links(person.email, 1);
  const rows = async () => await service.database.query("select from mail where tag = '-' and state = 'waiting'");
  await expect.poll(rows, { timeout: 20_000 }).toEqual([]);
  expect([textsTo("nobody@example.com"), textsTo(gone.email)]).toEqual([[], []]);
  const kept = await service.database.query(
    "select from mail where facts like '%nobody%' or recipient = 'nobody@example.com'",
  );
  expect(kept).toEqual([]);
  expect((await service.api("GET", "/v1/mails")).text).not.toContain("password_reset");
});

test("a used link ends the others of the person", async () => {
  const person = await joined(service, "developer");
  await ask(person.email);
  await ask(person.email);
  const [first = "", second = ""] = await links(person.email, 2);
  expect(first).not.toBe(second);
  expect([await reset(second), await reset(first)]).toEqual([204, 401]);
});

test("of two simultaneous uses of links of one person, one succeeds", async () => {
  const person = await joined(service, "developer");
  await ask(person.email);
  await ask(person.email);
  const tokens = await links(person.email, 2);
  const statuses = await Promise.all([...tokens, ...tokens].map(async (token) => await reset(token)));
  expect(statuses.toSorted()).toEqual([204, 401, 401, 401]);
});

test("a link is valid for thirty minutes, and an older wish is not sent", async () => {
  const person = await joined(service, "developer");
  await ask(person.email);
  const [token = ""] = await links(person.email, 1);
  const [link] = await service.database.query<{ minutes: number }>(
    "select round(extract(epoch from max(expires_at) - now()) / 60)::int as minutes from reset_link",
  );
  expect(link?.minutes).toBe(30);
  await service.database.query("update reset_link set expires_at = now() - interval '1 second'");
  expect(await reset(token)).toBe(401);
  await service.database.query(
    `insert into mail (bucket, tag, id, purpose, facts, due_at) values (0, '-', '01900000-0000-7000-8000-000000000000',
      'password_reset', $1, now())`,
    [JSON.stringify({ email: person.email, ip: "192.0.2.1" })],
  );
  await expect
    .poll(
      async () => await service.database.query("select from mail where id = '01900000-0000-7000-8000-000000000000'"),
    )
    .toEqual([]);
  expect(tokensTo(person.email)).toHaveLength(1);
});

test("a second factor stays after a reset by e-mail", async () => {
  const { person } = await withTotp(service);
  await ask(person.email);
  const [token = ""] = await links(person.email, 1);
  expect(await reset(token)).toBe(204);
  const proof = { email: person.email, password: NEW };
  expect((await service.api("POST", "/v1/auth/sign-in", proof, { key: null })).body).toMatchObject({
    code: "totp_required",
  });
});

test("an address is not flooded, and its limit is not shown", async () => {
  const person = await joined(service, "viewer");
  const answers = await Promise.all(Array.from({ length: 6 }, async () => await ask(person.email)));
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(202));
  await links(person.email, 2);
  await expect
    .poll(async () => await service.database.query("select from mail where tag = '-' and state = 'waiting'"))
    .toEqual([]);
  expect(tokensTo(person.email)).toHaveLength(2);
});

test("a network that asks too often is refused with a time to wait", async () => {
  const answers: ApiAnswer[] = [];
  for (let at = 0; at < 11; at += 1) answers.push(await ask(`a${at}@example.com`));
  expect(answers.at(-1)).toMatchObject({ status: 429, body: { code: "too_many_auth_failures" } });
  expect(Number(answers.at(-1)?.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(networkOf("2001:db8:0:1::5")).toBe(networkOf("2001:0db8:0000:0001:ffff::1"));
  expect(networkOf("2001:db8:0:2::5")).not.toBe(networkOf("2001:db8:0:1::5"));
  expect([networkOf("192.0.2.1"), networkOf("::1")]).toEqual(["192.0.2.1", "0:0:0:0::/64"]);
});

test("a changed password is also reported", async () => {
  const person = await joined(service, "developer");
  await person.call("POST", "/v1/auth/password", { current: PASSWORD, new: NEW });
  await expect.poll(() => textsTo(person.email).length, { timeout: 20_000 }).toBe(1);
});

test("a text that is not an address is refused", async () => {
  expect((await ask("ada@example.com\r\nBcc: eve@example.com")).status).toBe(422);
  expect((await ask("ada")).body).toMatchObject({ errors: [{ pointer: "/email" }] });
});
