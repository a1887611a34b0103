import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { exportCsv } from "../testing/audit.ts";
import { refusals } from "../testing/canaries.ts";
import { runConnector, SECRET as CONNECTOR_SECRET } from "../testing/connector-runs.ts";
import { connectorsEnvironment } from "../testing/connectors.ts";
import { registerContract } from "../testing/contracts.ts";
import { startDatabaseProxy } from "../testing/database-proxy.ts";
import { joined, signIn, tokenOf, totpCode } from "../testing/people.ts";
import { freePort, startProcess } from "../testing/process.ts";
import { startReceiver } from "../testing/receiver.ts";
import type { Receiver } from "../testing/receiver.ts";
import { serviceAt } from "../testing/service-at.ts";
import { MASTER_KEY, startService } from "../testing/service.ts";
import type { TestService } from "../testing/test-service.ts";

type Secrets = Record<string, string>;

const METRICS_TOKEN = "canary-of-the-metrics";
const MAIL_PASSWORD = "canary-of-the-mail-server";
const BACKEND = "canary-of-the-backend";
const PROVIDER = "canary-of-the-model-provider";
const HEADER = "canary-in-a-header";
const RULE_HEADER = "canary-in-a-rule";
const WORKFLOW_HEADER = "canary-in-a-workflow";

let service: TestService;
/** A receiver that repeats each request and refuses it. */
let echo: Receiver;
beforeAll(async () => {
  // Background work is left to the process that logs at trace level.
  service = await startService({ env: { JUNCTION_ROLES: "api" } });
  echo = await startReceiver();
  echo.answer((response, { headers, body }) => response.writeHead(401).end(JSON.stringify({ headers, body })));
});
afterAll(async () => {
  await service.close();
  await echo.close();
});

/** Returns the secrets of people. Each is used once, and again if it is valid only once. */
async function ofPeople(node: TestService): Promise<Secrets> {
  const person = await joined(node, "developer");
  const enrolment = await person.call("POST", "/v1/auth/totp/enrol", { password: person.password });
  const code = totpCode(enrolment.body["secret"]);
  const verified = await person.call("POST", "/v1/auth/totp/verify", { code });
  const recovery: string = verified.body["recovery_codes"][0];
  const proof = { email: person.email, password: person.password };
  await node.api("POST", "/v1/auth/sign-in", { ...proof, totp_code: code }, { key: null });
  const session = await signIn(node, { ...proof, totp_code: recovery });
  await node.api("POST", "/v1/auth/sign-in", { ...proof, totp_code: recovery }, { key: null });
  await session.call("POST", "/v1/auth/sign-out", {}, { "X-CSRF-Token": `${session.csrfToken}x` });
  const invited = await node.api("POST", "/v1/members/invitations", { email: "new@example.com", role: "viewer" });
  const reset = await node.api("POST", `/v1/members/${person.memberId}/reset-link`, {});
  const resetToken = tokenOf(reset.body["reset_url"]);
  await node.api("POST", "/v1/auth/reset", { token: resetToken, password: "short" }, { key: null });
  return {
    "a password": person.password,
    "a session": session.cookie.split("=").slice(1).join("="),
    "a CSRF token": session.csrfToken,
    "a second factor": enrolment.body["secret"],
    "a code": code,
    "a recovery code": recovery,
    "an invitation": tokenOf(invited.body["invite_url"]),
    "a reset link": resetToken,
  };
}

/** Returns the secrets of programs, which sign or authenticate. Each is used, and refused. */
async function ofPrograms(node: TestService): Promise<Secrets> {
  const key = await node.api("POST", "/v1/keys", { name: "signs", permission_mode: "all", signing_secret: true });
  const endpoint = await node.api("POST", "/v1/webhook-endpoints", {
    url: echo.url,
    events: ["canary.sung"],
    headers: { "X-Their-Key": HEADER },
  });
  const inbox = await node.api("PUT", "/v1/inboxes/canary");
  await node.api("POST", "/v1/webhook-endpoints", { url: inbox.body["url"], events: ["canary.sung"] });
  const hook = (value: string): object => ({ url: echo.url, headers: { "X-Team": value } });
  const rule = await node.api("POST", "/v1/rules", {
    name: "Sings",
    on: ["canary.sung"],
    then: [{ type: "post_webhook", ...hook(RULE_HEADER) }],
  });
  const workflow = await node.api("POST", "/v1/workflows", {
    name: "Sings",
    trigger: { event: "canary.sung" },
    steps: [{ id: "a", type: "webhook", ...hook(WORKFLOW_HEADER) }],
  });
  for (const shown of [`/v1/rules/${rule.body["id"]}`, `/v1/workflows/${workflow.body["id"]}`]) {
    expect((await node.api("GET", `${shown}/headers`)).status).toBe(200);
    expect((await node.api("PATCH", shown, { name: "Sings still" })).status).toBe(200);
  }
  const source = await node.api("POST", "/v1/inbound-endpoints", { name: "S" });
  const address = new URL(source.body["url"]);
  await node.api("POST", address.pathname + address.search, { n: 1 }, { key: null });
  await node.api("PUT", "/v1/secrets/billing", { value: BACKEND });
  await node.api("PUT", "/v1/secrets/model", { value: PROVIDER });
  const contract = await registerContract(node, {
    endpoint: echo.url,
    auth: { type: "bearer", secret_ref: "billing" },
  });
  await node.api("POST", "/v1/actions/run", { action: contract["key"], params: {} });
  await node.api("PATCH", "/v1/workspaces/current", { settings: { assistant: "openai_compatible" } });
  const base = echo.url.replace("/hook", "/v1");
  const told = { base_url: base, model: "m", secret_ref: "model", events: ["canary.sung"] };
  expect((await node.api("PATCH", "/v1/assistant", told)).status).toBe(200);
  const connector = await runConnector(node, {
    members: 'subscribers() { return { "canary.sung": ["hear"] }; } async hear() { throw new Error("no"); }',
    description: { events: ["canary.sung"] },
    settings: { base_url: "http://127.0.0.1:9/", api_key: CONNECTOR_SECRET },
  });
  expect(connector.enabled.text).toContain('"enabled"');
  return {
    "a key": service.key,
    "the sandbox key": service.sandboxKey,
    "a key that signs": key.body["key"],
    "a key's signing secret": key.body["signing_secret"],
    "an endpoint's secret": endpoint.body["secret"],
    "a header of an endpoint": HEADER,
    "an inbox's token": String(inbox.body["url"]).split("/").at(-1) ?? "",
    "a header of a rule": RULE_HEADER,
    "a header of a workflow": WORKFLOW_HEADER,
    "a source's secret": source.body["secret"],
    "a source's token": address.searchParams.get("t") ?? "",
    "a contract's signing secret": contract["signing_secret"],
    "a backend's credential": BACKEND,
    "a provider's key": PROVIDER,
    "a connector's setting": CONNECTOR_SECRET,
  };
}

/** Waits until every subscriber of the event has sent a request, which the receiver refused. */
async function heardEverywhere(node: TestService): Promise<void> {
  const before = echo.received.length;
  await node.api("POST", "/v1/events/fire", { event: "canary.sung", data: { n: 1 } });
  const called = (what: string): boolean =>
    echo.received.slice(before).some(({ headers }) => JSON.stringify(headers).includes(what));
  const all = [HEADER, RULE_HEADER, WORKFLOW_HEADER, PROVIDER];
  await expect.poll(() => all.filter((what) => !called(what))).toEqual([]);
  await node.until("/v1/deliveries?event=canary.sung", ({ data }) => data[0]?.attempt_count > 0);
}

test("no secret of people, programs or operators appears in refusals, telemetry or audit", async () => {
  const collector = await startReceiver();
  const proxy = await startDatabaseProxy(service.database.url);
  const process = startProcess(
    {
      ...connectorsEnvironment,
      DATABASE_URL: proxy.url,
      JUNCTION_MASTER_KEY: MASTER_KEY,
      JUNCTION_LOG_LEVEL: "trace",
      JUNCTION_ALLOW_TARGETS: "127.0.0.0/8",
      JUNCTION_METRICS_TOKEN: METRICS_TOKEN,
      JUNCTION_SMTP_URL: `smtp://junction:${MAIL_PASSWORD}@127.0.0.1:9`,
      JUNCTION_MAIL_FROM: "junction@example.com",
      OTEL_EXPORTER_OTLP_ENDPOINT: new URL(collector.url).origin,
    },
    await freePort(),
  );
  onTestFinished(async () => await process.kill());
  await process.ready();
  const node = serviceAt(service, process);
  const operators: Secrets = {
    "the master key": MASTER_KEY,
    "the master key in hex": Buffer.from(MASTER_KEY, "base64").toString("hex"),
    "the database's password": new URL(service.database.url).password,
    "the metrics' token": METRICS_TOKEN,
    "the mail server's password": MAIL_PASSWORD,
  };
  const secrets = { ...operators, ...(await ofPeople(node)), ...(await ofPrograms(node)) };
  await heardEverywhere(node);
  // The inbox would accept the secrets that other paths refuse.
  await node.api("DELETE", "/v1/inboxes/canary");
  const answers: string[] = [];
  // The secrets are sent one after the other, because many guesses at once are rate-limited.
  for (const secret of Object.values(secrets)) {
    answers.push(...(await refusals(node, secret)));
    await service.database.query("delete from rate_window");
  }
  const metrics = await (
    await fetch(`${node.baseUrl}/metrics`, { headers: { Authorization: `Bearer ${METRICS_TOKEN}` } })
  ).text();
  // The log has most to report about a database that is unreachable.
  proxy.cut();
  answers.push((await node.api("POST", "/v1/events/fire", { event: "canary.sung", data: {} })).text);
  await expect.poll(() => process.output()).toMatch(/lost (?:a|the) database connection/);
  proxy.restore();
  await expect.poll(async () => (await node.api("GET", "/v1/me")).status).toBe(200);
  await process.stop();
  const told: Secrets = {
    answers: answers.join("\n"),
    log: process.output(),
    metrics,
    traces: collector.received.map(({ body }) => body).join("\n"),
    audit: await exportCsv(service),
  };
  await collector.close();
  for (const [where, text] of Object.entries(told)) expect([where, text.length > 500]).toEqual([where, true]);
  const found = Object.entries(secrets).flatMap(([what, secret]) =>
    Object.entries(told).flatMap(([where, text]) => (holds(text, secret) ? [`${what} in ${where}`] : [])),
  );
  expect(Object.entries(secrets).filter(([, secret]) => secret.length < 6)).toEqual([]);
  expect(found).toEqual([]);
});

/** A six-digit code counts only if it stands alone. */
function holds(text: string, secret: string): boolean {
  return /^\d{6}$/.test(secret) ? new RegExp(`(?<![\\w.])${secret}(?![\\w.])`).test(text) : text.includes(secret);
}
