import { afterAll, beforeAll, expect, test } from "vitest";
import { dump } from "../testing/dump.ts";
import { registerContract } from "../testing/contracts.ts";
import { mintKey } from "../testing/keys.ts";
import { joined, tokenOf, totpCode, withTotp } from "../testing/people.ts";
import { startService } from "../testing/service.ts";
import type { TestService } from "../testing/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

test("a dump of the database holds no key, no password and no secret in plain", async () => {
  const { key } = await mintKey(service);
  const signing = await service.api("POST", "/v1/keys", {
    name: "signing",
    permission_mode: "all",
    signing_secret: true,
  });
  const endpoint = await service.endpoint("http://127.0.0.1:9/", { events: ["test.nothing"] });
  const contract = await registerContract(service);
  await service.api("PUT", "/v1/secrets/dumped", { value: "a credential of a backend" });
  const person = await joined(service, "developer");
  const enrolment = await person.call("POST", "/v1/auth/totp/enrol", { password: person.password });
  await person.call("POST", "/v1/auth/totp/verify", { code: totpCode(enrolment.body.secret) });
  const { recovery } = await withTotp(service);
  const invitation = await service.api("POST", "/v1/members/invitations", {
    email: "new@example.com",
    role: "viewer",
  });
  const secrets: Record<string, string> = {
    "the owner's key": service.key,
    "the sandbox key": service.sandboxKey,
    "a minted key": key,
    "a key answered and kept for repeats": signing.body.key,
    "a key's signing secret": signing.body.signing_secret,
    "an endpoint's secret": endpoint.secret,
    "a contract's signing secret": contract.signing_secret,
    "a backend's credential": "a credential of a backend",
    "a password": person.password,
    "a session": /=([^;]+)/.exec(person.cookie)?.[1] ?? "",
    "an invitation": tokenOf(invitation.body.invite_url),
    "a second factor": enrolment.body.secret,
    "a recovery code": recovery[0] ?? "",
  };
  const text = [...(await dump(service)).values()].join("\n").toLowerCase();
  expect(text.length).toBeGreaterThan(1000);
  for (const [what, secret] of Object.entries(secrets)) {
    expect([what, secret.length > 7]).toEqual([what, true]);
    const plain = secret.toLowerCase();
    expect([what, text.includes(plain), text.includes(Buffer.from(secret).toString("hex"))]).toEqual([
      what,
      false,
      false,
    ]);
  }
});
