/**
 * Tests the path that users take: `npm start` with no variable set, HTTPS receivers with host names, an event of the catalog. Each setting of
 * the configuration page has a test of the feature that the setting controls, with its default.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SETTINGS } from "../apps/service/src/config/settings.ts";
import { macHex } from "../apps/service/src/testing/signature.ts";
import { announced, createWorld } from "./world.ts";
import type { Answer, World } from "./world.ts";

const PUBLIC = "93.184.216.34";
const SLACK = "93.184.216.35";
const OWNER = { email: "ines@shop.example", name: "Ines Costa", password: "correct horse battery staple" };
const SECOND = 1000;

let world: World;
let output: string;
let sandboxKey: string;
let key: string;
let receiver: number;
let secret: string;

beforeAll(async () => {
  world = await createWorld();
  await world.addresses([`${PUBLIC}/32`, `${SLACK}/32`, "10.7.0.1/32"]);
  await world.name("hooks.shop.example", [PUBLIC]);
  await world.name("slack.com", [SLACK]);
  await world.name("inside.shop.example", ["10.7.0.1"]);
  receiver = await world.receiver({ address: PUBLIC, certificate: { names: ["hooks.shop.example"] } });
  output = await world.npmStart();
  const found = announced(output);
  ({ sandboxKey } = found);
  const claimed = await world.api("POST", "/v1/auth/setup", { token: found.token, ...OWNER });
  key = claimed.body.api_key;
  const endpoint = await api("POST", "/v1/webhook-endpoints", {
    url: "https://hooks.shop.example/orders",
    events: ["order.created"],
  });
  ({ secret } = endpoint.body);
});
afterAll(async () => await world?.close());

async function api(method: string, path: string, body?: unknown): Promise<Answer> {
  return await world.api(method, path, body, { key });
}

/** Fires an event of the catalog and waits until every stage is done and every delivery has been attempted. */
async function fire(id: string): Promise<Answer["body"]> {
  const fired = await api("POST", "/v1/events/fire", {
    event: "order.created",
    data: { external_id: id, total_minor: 1050, currency: "EUR", customer: { email: "ada@example.com" } },
  });
  expect(fired.status).toBe(202);
  return await world.until(
    `/v1/events/${fired.body.id}`,
    key,
    ({ stages, deliveries }) =>
      stages.every(({ state }: { state: string }) => state === "done") &&
      deliveries.every(({ state }: { state: string }) => state !== "pending"),
  );
}

async function requestOf(path: string): Promise<{ readonly body: string; readonly headers: Record<string, unknown> }> {
  const found = (await world.received(receiver)).find((request) => request.path === path);
  if (found === undefined) throw new Error(`nothing arrived at ${path}`);
  return found;
}

/** Returns the result of the alerts connector's own test with mail as its only channel. */
async function alertByMail(): Promise<string> {
  await api("POST", "/v1/connectors/alerts/enable", { settings: { mail_to: "ops@shop.example" } });
  const { text } = await api("POST", "/v1/connectors/alerts/test");
  await api("POST", "/v1/connectors/alerts/disable");
  return text;
}

const USES: { readonly [Name in keyof typeof SETTINGS]: () => Promise<void> } = {
  async JUNCTION_DNS_SERVERS() {
    const { id, deliveries } = await fire("dns-1");
    expect(deliveries).toEqual([expect.objectContaining({ state: "delivered" })]);
    const { body, headers } = await requestOf("/orders");
    expect(JSON.parse(body)).toMatchObject({ id, event: "order.created", environment: "live" });
    expect(headers["x-service-signature"]).toBe(macHex(secret, body));
  },
  async JUNCTION_ALLOW_TARGETS() {
    for (const url of ["https://inside.shop.example/", "http://hooks.shop.example/", "https://127.0.0.1/"]) {
      const { status, body } = await api("POST", "/v1/webhook-endpoints", { url, events: ["*"] });
      expect({ url, status, code: body.code }).toEqual({ url, status: 422, code: "url_blocked" });
    }
  },
  async JUNCTION_RETRY_LADDER() {
    const failing = await world.receiver({
      address: PUBLIC,
      port: 8443,
      certificate: { names: ["hooks.shop.example"] },
      answer: { status: 500 },
    });
    const url = "https://hooks.shop.example:8443/failing";
    const { body: endpoint } = await api("POST", "/v1/webhook-endpoints", { url, events: ["ladder.tried"] });
    const { body: event } = await api("POST", "/v1/events/fire", { event: "ladder.tried", data: {} });
    const path = `/v1/deliveries/${event.deliveries[0].id}`;
    const delivery = await world.until(path, key, ({ attempt_count: count }) => count === 1);
    expect(delivery).toMatchObject({ state: "pending", light: "amber", last_status_code: 500 });
    const { body: attempts } = await api("GET", `${path}/attempts`);
    const waitMs = Date.parse(delivery.next_attempt_at) - Date.parse(attempts.data[0].started_at);
    expect(Math.abs(waitMs - 60 * SECOND)).toBeLessThan(5 * SECOND);
    expect(await world.received(failing)).toHaveLength(1);
    await api("DELETE", `/v1/webhook-endpoints/${endpoint.id}`);
  },
  async JUNCTION_STAGE_WAIT() {
    const { stages } = await fire("stages-1");
    expect(stages.length).toBeGreaterThan(1);
    const { body } = await api("GET", "/v1/contacts?limit=100");
    expect(body.data).toEqual(expect.arrayContaining([expect.objectContaining({ email: "ada@example.com" })]));
  },
  async JUNCTION_ROLES() {
    expect((await fire("roles-1")).deliveries).toEqual([expect.objectContaining({ state: "delivered" })]);
  },
  async JUNCTION_PORT() {
    expect((await api("GET", "/livez")).status).toBe(200);
    expect(output).toContain("Junction is ready:  http://127.0.0.1:4000\n");
  },
  async JUNCTION_HOST() {
    const seen = await world.command("ss", ["-Hltn", "sport = :4000"]);
    const sockets = seen.trim().split("\n");
    for (const socket of sockets) expect(socket).toContain(" 127.0.0.1:4000 ");
  },
  async JUNCTION_CLAIM() {
    const started = await world.command("sh", [
      "-c",
      "JUNCTION_HOST=0.0.0.0 JUNCTION_PORT=4001 JUNCTION_DATA_DIR=unclaimed node_modules/.bin/node apps/service/src/main.ts 2>&1; echo exit $?",
    ]);
    expect(started).toContain("`JUNCTION_HOST` must be 127.0.0.1 until the installation has an owner");
    expect(started.trim().endsWith("exit 78")).toBe(true);
  },
  async JUNCTION_BASE_URL() {
    const { body } = await api("POST", "/v1/inbound-endpoints", { name: "Payments", preset: "payment_processor" });
    expect(body.url).toMatch(/^http:\/\/127\.0\.0\.1:4000\/api\/v1\/inbound\.php\?t=/);
  },
  async JUNCTION_DATA_DIR() {
    expect((await world.command("stat", ["-c", "%a", "data/master.key"])).trim()).toBe("600");
  },
  async DATABASE_URL() {
    expect(output).toContain("embedded PostgreSQL is ready");
    expect((await api("GET", "/readyz")).body).toMatchObject({ checks: { database: "ok" } });
  },
  async JUNCTION_MASTER_KEY() {
    const { body } = await api("PUT", "/v1/secrets/defaults_key", { value: "a secret value" });
    expect(body).toMatchObject({ name: "defaults_key" });
    const listed = await api("GET", "/v1/webhook-endpoints");
    expect((await api("GET", `/v1/webhook-endpoints/${listed.body.data.at(-1).id}/secret`)).status).toBe(200);
  },
  async JUNCTION_MASTER_KEY_PREVIOUS() {
    expect(await world.stop()).toBe(0);
    await world.npmStart();
    const { body } = await api("GET", "/v1/webhook-endpoints");
    const orders = body.data.find(({ url }: { url: string }) => url === "https://hooks.shop.example/orders");
    expect((await api("GET", `/v1/webhook-endpoints/${orders.id}/secret`)).body).toMatchObject({ secret });
  },
  async JUNCTION_BOOTSTRAP() {
    expect(output).toMatch(/Claim this installation .*\/setup\?token=/);
    expect(sandboxKey).toMatch(/^jn_test_/);
  },
  async JUNCTION_PROCESSES() {
    // Each further process runs the service's own program.
    expect(await world.command("ps", ["-eo", "args"])).not.toContain("apps/service/src/main.ts");
  },
  async JUNCTION_TRUST_PROXIES() {
    const headers = { "X-Forwarded-For": "203.0.113.9" };
    const made = await api("POST", "/v1/keys", { name: "proxied", permission_mode: "all" });
    expect((await world.api("GET", "/v1/me", undefined, { key: made.body.key, headers })).status).toBe(200);
    await world.until(`/v1/keys/${made.body.id}`, key, ({ last_used_ip: ip }) => ip === "127.0.0.1");
  },
  async JUNCTION_RATE_LIMITS() {
    const { headers } = await api("POST", "/v1/events/fire", { event: "limits.seen", data: {} });
    expect(headers.get("x-service-ratelimit-limit")).toBe("1000");
  },
  async JUNCTION_RETENTION_DAYS() {
    const keep = async (days: number): Promise<number> =>
      (await api("PATCH", "/v1/workspaces/current", { settings: { retention_days: days } })).status;
    expect([await keep(31), await keep(30)]).toEqual([422, 200]);
  },
  async JUNCTION_CONNECTORS_DIR() {
    const { body } = await api("GET", "/v1/connectors");
    expect(body.data.map((connector: { key: string }) => connector.key).toSorted()).toEqual([
      "alerts",
      "commerce",
      "crm-mirror",
      "helpdesk",
      "scheduling",
      "stripe",
    ]);
  },
  async JUNCTION_CONNECTOR_TRUST() {
    const { body } = await api("GET", "/v1/connectors");
    expect(new Set(body.data.map(({ signature }: { signature: string }) => signature))).toEqual(new Set(["valid"]));
  },
  async JUNCTION_PHP() {
    const enabled = await api("POST", "/v1/connectors/crm-mirror/enable", {
      settings: { base_url: "https://hooks.shop.example", database: "crm", username: "junction", password: "secret" },
    });
    expect(enabled.body).toMatchObject({ enabled: true, runtime: "php" });
    await api("POST", "/v1/connectors/crm-mirror/test");
    expect((await api("GET", "/v1/connectors/crm-mirror")).body.health.last_run_at).not.toBeNull();
    await api("POST", "/v1/connectors/crm-mirror/disable");
  },
  async JUNCTION_SMTP_URL() {
    expect(await alertByMail()).toContain("JUNCTION_SMTP_URL");
  },
  async JUNCTION_SMTP_TLS() {
    // Without a server, no mail is stored, and the link is handed over by hand.
    expect((await api("GET", "/v1/mails")).body).toMatchObject({ data: [] });
  },
  async JUNCTION_MAIL_FROM() {
    expect(await alertByMail()).toContain("JUNCTION_MAIL_FROM");
  },
  async JUNCTION_OIDC_ISSUER() {
    expect((await world.api("GET", "/v1/auth/methods")).body).toEqual({ object: "sign_in_methods", oidc: null });
  },
  async JUNCTION_OIDC_CLIENT_ID() {
    expect((await world.api("GET", "/v1/auth/oidc/start")).status).toBe(404);
  },
  async JUNCTION_OIDC_CLIENT_SECRET() {
    expect((await world.api("GET", "/v1/auth/oidc/callback")).status).toBe(404);
  },
  async JUNCTION_OIDC_GROUPS() {
    const { body } = await world.api("POST", "/v1/auth/sign-in", { email: OWNER.email, password: OWNER.password });
    expect(body.member).toMatchObject({ role: "owner" });
  },
  async JUNCTION_OIDC_GROUPS_CLAIM() {
    // Without an issuer, no claim is read, and the operator's own role is kept.
    const { body } = await world.api("POST", "/v1/auth/sign-in", { email: OWNER.email, password: OWNER.password });
    expect(body.member).toMatchObject({ role: "owner" });
  },
  async JUNCTION_EGRESS_PROXY() {
    // The world has no proxy: what arrives came directly.
    expect((await world.received(receiver)).length).toBeGreaterThan(0);
  },
  async JUNCTION_EGRESS_NO_PROXY() {
    expect((await world.received(receiver)).length).toBeGreaterThan(0);
  },
  async JUNCTION_SLACK_API_URL() {
    const slack = await world.receiver({ address: SLACK, certificate: { names: ["slack.com"] } });
    const app = { team_id: "T0SHOP", signing_secret: "a-signing-secret", bot_token: "xoxb-a-bot-token" };
    expect((await api("PUT", "/v1/slack-app", app)).status).toBe(200);
    const channel = { kind: "slack", name: "Refunds", slack_channel_id: "C0REFUNDS" };
    const { body } = await api("POST", "/v1/approval-channels", channel);
    // The receiver is not Slack, so that the test of the channel fails after its first call.
    expect((await api("POST", `/v1/approval-channels/${body.id}/test`)).body).toMatchObject({ ok: false });
    expect((await world.received(slack)).map(({ path }) => path)).toEqual(["/api/auth.test"]);
  },
  async JUNCTION_METRICS_TOKEN() {
    const { status, text } = await world.api("GET", "/metrics");
    expect(status).toBe(200);
    expect(text).toContain("# TYPE ");
  },
  async JUNCTION_METRICS_TENANTS() {
    const fired = { event: "metrics.tenants", data: {}, tenant: "defaults-tenant" };
    expect((await api("POST", "/v1/events/fire", fired)).status).toBe(202);
    const { text } = await world.api("GET", "/metrics");
    expect(text).not.toContain("junction_tenant_");
  },
  async JUNCTION_LOG_LEVEL() {
    expect(output).toContain("junction: database migrated\n");
  },
  async JUNCTION_LOG_FORMAT() {
    const printed = (await world.output()).split("\n");
    expect(printed.filter((line) => line.startsWith("{"))).toEqual([]);
  },
  async OTEL_EXPORTER_OTLP_ENDPOINT() {
    await fire("traces-1");
    const asked = (await world.questions()).map((question) => question.split(" ")[1]);
    expect(new Set(asked)).toEqual(new Set(["hooks.shop.example", "inside.shop.example", "slack.com"]));
  },
};

describe("with no variable set", () => {
  test.each(Object.entries(USES))("%s has a default that works", async (_name, use) => await use());
});
