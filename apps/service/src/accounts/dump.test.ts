import { afterAll, beforeAll, expect, test } from "vitest";
import { dump } from "../testing/dump.ts";
import { registerContract } from "../testing/contracts.ts";
import { mintKey } from "../testing/keys.ts";
import { joined, tokenOf, totpCode, withTotp } from "../testing/people.ts";
import { startService } from "../testing/service.ts";
import type { TestService } from "../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

/** Returns the token of an inbox that is the address of an endpoint, has received, has failed, and was tested. */
async function usedInbox(): Promise<string> {
  const { url } = (await service.api("PUT", "/v1/inboxes/dumped")).body as { url: string };
  const token = url.split("/").at(-1) ?? "";
  const endpoint = await service.endpoint(url, { events: ["inbox.used"] });
  await service.endpoint(`https://earlier.example.com/inbox/${token}`, { events: ["inbox.used"] });
  await service.api("PATCH", `/v1/webhook-endpoints/${endpoint.id}`, { url, description: "changed" });
  await service.api("POST", "/v1/webhooks/test", { url });
  await service.fire("inbox.used");
  await service.until(`/inbox/${token}`, ({ messages }) => messages.length === 3);
  await service.api("PUT", `/inbox/${token}/behaviour`, { status: 410 });
  await service.fire("inbox.used");
  await service.until(`/v1/webhook-endpoints/${endpoint.id}`, ({ disabled_reason }) => disabled_reason === "gone");
  await service.until("/v1/events?event=webhook.endpoint.disabled", ({ data }) => data.length > 0);
  await service.api("DELETE", `/v1/webhook-endpoints/${endpoint.id}`);
  return token;
}

test("a dump of the database contains no key, password or secret in plain text", async () => {
  const { key } = await mintKey(service);
  const signing = await service.api("POST", "/v1/keys", {
    name: "signing",
    permission_mode: "all",
    signing_secret: true,
  });
  const endpoint = await service.endpoint("http://127.0.0.1:9/", { events: ["test.nothing"] });
  const contract = await registerContract(service);
  await service.api("PUT", "/v1/secrets/dumped", { value: "a credential of a backend" });
  const header = async (path: string, value: string, of: (headers: object) => object): Promise<string> => {
    const made = await service.api("POST", path, of({ Authorization: value }));
    expect(made.status).toBe(201);
    return `${path}/${made.body["id"]}`;
  };
  const url = "http://127.0.0.1:9/";
  await header("/v1/webhook-endpoints", "a header of an endpoint", (headers) => ({ url, events: ["*"], headers }));
  const hook = (headers: object): object => ({ id: "a", type: "webhook", url, headers });
  const post = (headers: object): object => ({ type: "post_webhook", url, headers });
  const rule = await header("/v1/rules", "a header of a rule before", (headers) => ({
    name: "R",
    on: ["dump.made"],
    then: [post(headers)],
  }));
  const workflow = await header("/v1/workflows", "a header of a version before", (headers) => ({
    name: "W",
    trigger: { event: "dump.made" },
    steps: [hook(headers)],
  }));
  await service.api("PATCH", rule, { then: [post({ Authorization: "a header of a rule" })] });
  await service.api("PATCH", workflow, { steps: [hook({ Authorization: "a header of a workflow" })] });
  for (const shown of [`${rule}/headers`, `${workflow}/headers`, rule, workflow]) await service.api("GET", shown);
  // The logs include runs, deliveries and the endpoints that they send through.
  const fired = await service.fire("dump.made");
  await service.until(`/v1/events/${fired.id}`, ({ deliveries }) => deliveries.length > 0);
  await service.until("/v1/deliveries?event=workflow.webhook", ({ data }) => data[0]?.attempt_count > 0);
  await service.until("/v1/deliveries?event=dump.made", ({ data }) => data.length === 2);
  const person = await joined(service, "developer");
  const enrolment = await person.call("POST", "/v1/auth/totp/enrol", { password: person.password });
  await person.call("POST", "/v1/auth/totp/verify", { code: totpCode(enrolment.body.secret) });
  const { recovery } = await withTotp(service);
  const invitation = await service.api("POST", "/v1/members/invitations", {
    email: "new@example.com",
    role: "viewer",
  });
  const inbox = await usedInbox();
  const secrets: Record<string, string> = {
    "an inbox's token": inbox,
    "the owner's key": service.key,
    "the sandbox key": service.sandboxKey,
    "a minted key": key,
    "a key answered and kept for repeats": signing.body.key,
    "a key's signing secret": signing.body.signing_secret,
    "an endpoint's secret": endpoint.secret,
    "a contract's signing secret": contract.signing_secret,
    "a backend's credential": "a credential of a backend",
    "a header of an endpoint": "a header of an endpoint",
    "an earlier header of a rule": "a header of a rule before",
    "a header of a rule": "a header of a rule",
    "a header of an earlier version of a workflow": "a header of a version before",
    "a header of a workflow": "a header of a workflow",
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
