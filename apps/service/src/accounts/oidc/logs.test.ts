import { generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectorsEnvironment } from "../../testing/connectors.ts";
import { invite } from "../../testing/people.ts";
import { oidcEnvironment, openBrowser, startIssuer } from "../../testing/oidc-issuer.ts";
import type { TestIssuer } from "../../testing/oidc-issuer.ts";
import { freePort, startProcess } from "../../testing/process.ts";
import type { ServiceProcess } from "../../testing/process.ts";
import { MASTER_KEY, startService } from "../../testing/service.ts";
import type { TestService } from "../../testing/test-service.ts";

/** Sign-ins of a process that logs everything, from the request to the last refusal. */

const EMAIL = "logged-person@example.com";
let issuer: TestIssuer;
let service: TestService;
let process: ServiceProcess;

beforeAll(async () => {
  issuer = await startIssuer();
  service = await startService({ env: { JUNCTION_ROLES: "api" } });
  const env = {
    ...connectorsEnvironment,
    ...oidcEnvironment(issuer.url),
    DATABASE_URL: service.database.url,
    JUNCTION_MASTER_KEY: MASTER_KEY,
    JUNCTION_OIDC_GROUPS: '{"all":"viewer"}',
    JUNCTION_LOG_LEVEL: "trace",
  };
  process = startProcess(env, await freePort());
  await process.ready();
});
afterAll(async () => {
  await process.kill();
  await service.close();
  await issuer.close();
});

test("the log has each refusal's reason, without secrets, codes or e-mail addresses", async () => {
  const { baseUrl } = process;
  const secrets: string[] = [issuer.clientSecret];
  secrets.push(await invite(service, EMAIL, "viewer"));
  const person = { sub: "subject", email: EMAIL, email_verified: true, groups: ["all"] };
  issuer.conduct.idToken = { ...person, sid: "session-of-the-issuer" };
  const browser = openBrowser();
  expect(await browser.signIn(baseUrl)).toBe("/");
  secrets.push(browser.cookies.get("junction_session") ?? "");

  const end = async (): Promise<string> => await openBrowser().signIn(baseUrl);
  issuer.conduct.idToken = { ...person, email_verified: false, sub: "other-subject" };
  expect(await end()).toBe("/sign-in?failed=email_unverified");
  issuer.conduct.idToken = { ...person, groups: undefined };
  expect(await end()).toBe("/sign-in?failed=groups_missing");
  issuer.conduct.idToken = { ...person, nonce: "another-nonce-of-the-issuer" };
  expect(await end()).toBe("/sign-in?failed=not_verified");
  const { privateKey } = await generateKeyPair("RS256");
  issuer.conduct.sign = async (claims) =>
    await new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "unknown" }).sign(privateKey);
  expect(await end()).toBe("/sign-in?failed=not_verified");
  issuer.conduct.sign = async () => await Promise.resolve(`no.token.${EMAIL}`);
  expect(await end()).toBe("/sign-in?failed=not_verified");
  issuer.conduct.sign = null;
  const stranger = openBrowser();
  const answer = await browser.toIssuer(baseUrl);
  expect(await stranger.follow(answer)).toBe("/sign-in?failed=expired");
  issuer.conduct.isDown = true;
  expect(await browser.follow(answer)).toBe("/sign-in?failed=issuer_unreachable");
  issuer.conduct.isDown = false;

  const logout = await issuer.token({ iss: issuer.url, aud: "another", jti: "id-of-the-logout", email: EMAIL });
  const body = new URLSearchParams({ logout_token: logout });
  expect((await fetch(`${baseUrl}/v1/auth/oidc/logout`, { method: "POST", body })).status).toBe(400);
  secrets.push(logout);

  await expect.poll(() => process.output()).toContain("a logout token was refused");
  const output = process.output();
  for (const failure of ["email_unverified", "groups_missing", "not_verified", "expired", "issuer_unreachable"])
    expect(output).toContain(`"failure":"${failure}"`);
  const parts = [...secrets, ...issuer.exchanged].flatMap((text) => [text, text.split(".").at(-1) ?? ""]);
  for (const secret of [...parts, EMAIL, encodeURIComponent(EMAIL)].filter(({ length }) => length > 7))
    expect(output).not.toContain(secret);
});
