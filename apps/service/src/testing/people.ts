import { createHmac } from "node:crypto";
import type { ApiAnswer, Parsed, TestService } from "./test-service.ts";

/** A person with a console session. Calls send the cookie and the CSRF token. */
export interface TestPerson {
  readonly email: string;
  readonly password: string;
  /** `name=value`, in the form of a browser's header. */
  readonly cookie: string;
  readonly csrfToken: string;
  readonly memberId: string;
  /** The response that opened the session. */
  readonly answer: ApiAnswer;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>;
}

export const OWNER = { email: "owner@example.com", password: "correct horse battery" };
export const PASSWORD = "a long enough password";

let invited = 0;

export async function signIn(
  service: TestService,
  proof: { email: string; password: string; totp_code?: string; workspace_id?: string } = OWNER,
): Promise<TestPerson> {
  const answer = await service.api("POST", "/v1/auth/sign-in", proof, { key: null });
  if (answer.status !== 200) throw new Error(`not signed in: ${answer.text}`);
  return personOf(service, proof, answer);
}

/** Creates an invitation, by default with the owner's key. Returns its token. */
export async function invite(service: TestService, email: string, role: string, key = service.key): Promise<string> {
  const made = await service.api("POST", "/v1/members/invitations", { email, role }, { key });
  if (made.status !== 201) throw new Error(`not invited: ${made.text}`);
  return tokenOf(made.body["invite_url"]);
}

/** Creates a member who has accepted an invitation. */
export async function joined(service: TestService, role: string, key = service.key): Promise<TestPerson> {
  invited += 1;
  const proof = { email: `${role}-${invited}@example.com`, password: PASSWORD };
  const token = await invite(service, proof.email, role, key);
  const accepted = { token, name: nameOf(proof), password: proof.password };
  const answer = await service.api("POST", "/v1/members/accept", accepted, { key: null });
  if (answer.status !== 201) throw new Error(`not joined: ${answer.text}`);
  return personOf(service, proof, answer);
}

/** Returns the name of a person who joined, such as `admin 3`. */
export function nameOf({ email }: { readonly email: string }): string {
  return email.replace(/-(\d+)@.*/, " $1");
}

/** Returns the code of an authenticator app, with an offset in time steps. Written from RFC 6238, independently of the code under test. */
export function totpCode(secret: string, nowMs = Date.now(), stepsAway = 0): string {
  const bits = Array.from(secret)
    .map((char) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(char).toString(2).padStart(5, "0"))
    .join("");
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(nowMs / 30_000) + stepsAway));
  const mac = createHmac("sha1", key).update(counter).digest();
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 0xf) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}

/** Creates a person with two-factor authentication. Returns the recovery codes too. */
export async function withTotp(service: TestService): Promise<{ person: TestPerson; recovery: string[] }> {
  const person = await joined(service, "developer");
  const enrolment = await person.call("POST", "/v1/auth/totp/enrol", { password: person.password });
  const verified = await person.call("POST", "/v1/auth/totp/verify", { code: totpCode(enrolment.body["secret"]) });
  if (verified.status !== 200) throw new Error(`no second factor: ${verified.text}`);
  return { person, recovery: verified.body["recovery_codes"] };
}

export function tokenOf(url: string): string {
  return new URL(url).searchParams.get("token") ?? "";
}

/** Deletes every failed sign-in, because their limits use the database's clock. */
export async function forgetTries(service: TestService): Promise<void> {
  await service.database.query("delete from rate_window where subject like 'sign-in:%' or operation = 'auth.failed'");
}

/** Returns `status code` of a problem, or only the status. */
export function outcome(answer: ApiAnswer): string {
  const code: Parsed = answer.body["code"];
  return code === undefined ? String(answer.status) : `${answer.status} ${String(code)}`;
}

export function personOf(
  service: TestService,
  { email, password }: { email: string; password: string },
  answer: ApiAnswer,
): TestPerson {
  const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
  const csrfToken = String(answer.body["csrf_token"]);
  return {
    email,
    password,
    cookie,
    csrfToken,
    memberId: answer.body["member"].id,
    answer,
    call: async (method, path, body, headers = {}) =>
      await service.api(method, path, body, {
        key: null,
        headers: { Cookie: cookie, ...(method === "GET" ? {} : { "X-CSRF-Token": csrfToken }), ...headers },
      }),
  };
}
