import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import {
  actionOf,
  connectorApi,
  connectorFiles,
  freshConnector,
  freshKey,
  GIVEN,
  newSigner,
  PATH,
  signed,
} from "../../testing/connectors.ts";
import type { ConnectorApi } from "../../testing/connectors.ts";
import { mintKey, otherWorkspace } from "../../testing/keys.ts";
import { joined, outcome, signIn } from "../../testing/people.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, Parsed, TestService } from "../../testing/test-service.ts";
import { sealedByConnectors } from "./encrypted-columns.ts";

let service: TestService;
let api: ConnectorApi;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  api = connectorApi(service);
});
afterAll(async () => await service.close());

const SANDBOX = { base_url: "http://127.0.0.1:9/sandbox", api_key: "the key of the sandbox", region: "us" };
const ACTION = (key: string, more = {}) => actionOf(key, more);
const WIDER = { version: "1.1.0", events: ["order.created", "order.paid"], fires: ["payment.completed", "a.b"] };

async function promote(key: string, body: object = {}, as = service.key): Promise<ApiAnswer> {
  return await service.api("POST", `${PATH}/${key}/promote`, body, { key: as });
}

async function remove(key: string, as = service.sandboxKey): Promise<ApiAnswer> {
  return await service.api("DELETE", `${PATH}/${key}/sandbox`, undefined, { key: as });
}

async function shownIn(key: string, environment: string, as = service.key): Promise<ApiAnswer> {
  return await service.api("GET", `${PATH}/${key}?environment=${environment}`, undefined, { key: as });
}

async function contractIn(key: string, as: string, environment?: string): Promise<ApiAnswer> {
  const name = String(ACTION(key)["key"]);
  const filter = environment === undefined ? "" : `?environment=${environment}`;
  return await service.api("GET", `/v1/action-contracts/${name}${filter}`, undefined, { key: as });
}

/** Puts another version into the folder. */
async function drop(key: string, description: object = WIDER, label = "Refund in the sandbox"): Promise<void> {
  await api.put(key, signed(key, connectorFiles(key, { ...description }, [ACTION(key, { label })])));
}

/** Returns a connector with version 1.0.0 in live and 1.1.0 in the sandbox, each with its own settings. */
async function beside(): Promise<{ readonly key: string; readonly live: string; readonly sandbox: string }> {
  const { key } = await freshConnector(service);
  const live = await api.enable(key);
  await drop(key);
  const sandbox = await api.enable(key, { settings: SANDBOX }, service.sandboxKey);
  expect([live.status, sandbox.status]).toEqual([200, 200]);
  return { key, live: live.body["digest"], sandbox: sandbox.body["digest"] };
}

covers(
  "sandbox.data.apart",
  "live and sandbox run different versions of a connector with different settings",
  async () => {
    const { key, live, sandbox } = await beside();
    expect(await api.show(key)).toMatchObject({
      version: "1.0.0",
      digest: live,
      state: "update_available",
      installed_in: "live",
      acts_in: ["live"],
      sandbox_only: false,
      settings: { base_url: GIVEN.base_url },
      environment: "live",
    });
    const own = await api.show(key, service.sandboxKey);
    expect(own).toMatchObject({
      version: "1.1.0",
      digest: sandbox,
      state: "enabled",
      installed_in: "sandbox",
      acts_in: ["sandbox"],
      sandbox_only: true,
      settings: { base_url: SANDBOX.base_url, region: "us" },
      environment: "sandbox",
    });
    expect((await shownIn(key, "sandbox")).body).toEqual(own);
    expect((await shownIn(key, "live")).body).toEqual(await api.show(key));
    const listed = await service.api("GET", `${PATH}?environment=sandbox&limit=1`);
    expect(listed.body["data"]).toEqual([own]);
    expect([
      (await contractIn(key, service.key)).body["label"],
      (await contractIn(key, service.sandboxKey)).body["label"],
    ]).toEqual(["Refund", "Refund in the sandbox"]);
  },
);

test("changes with a credential of one environment do not reach the other", async () => {
  const { key, sandbox } = await beside();
  const before = await api.show(key);
  await api.patch(key, { region: "eu", page_size: 7 }, service.sandboxKey);
  expect((await api.disable(key, service.sandboxKey)).body["state"]).toBe("disabled");
  expect(await api.show(key)).toEqual(before);
  expect((await contractIn(key, service.key, "sandbox")).status).toBe(404);
  expect((await contractIn(key, service.key)).body).toMatchObject({ label: "Refund", environment: "live" });
  await api.enable(key, {}, service.sandboxKey);
  const own = await api.show(key, service.sandboxKey);
  expect(own).toMatchObject({ digest: sandbox, settings: { region: "eu", page_size: 7 } });
  await api.patch(key, { page_size: 9 });
  await api.disable(key);
  expect(await api.show(key, service.sandboxKey)).toEqual(own);
  expect((await contractIn(key, service.sandboxKey)).body).toMatchObject({ environment: "sandbox" });
});

test("the sandbox uses the live connector unless it enabled its own", async () => {
  const { key } = await freshConnector(service);
  await api.enable(key);
  const both = { installed_in: "live", acts_in: ["live", "sandbox"] };
  expect(await api.show(key, service.sandboxKey)).toMatchObject({ ...both, state: "enabled" });
  expect(outcome(await api.disable(key, service.sandboxKey))).toBe("403 environment_mismatch");
  // Settings of the sandbox alone do not change what runs there.
  expect((await api.patch(key, { region: "us" }, service.sandboxKey)).body).toMatchObject({
    installed_in: "sandbox",
    acts_in: [],
    settings: { region: "us" },
    secrets: { api_key: "unset" },
  });
  expect(await api.show(key)).toMatchObject(both);
  // No setting of live is used in its place.
  expect(outcome(await api.enable(key, {}, service.sandboxKey))).toBe("422 validation_failed");
  await api.enable(key, { settings: SANDBOX }, service.sandboxKey);
  expect(await api.show(key)).toMatchObject({ ...both, acts_in: ["live"] });
  expect((await remove(key)).status).toBe(204);
  expect(await api.show(key, service.sandboxKey)).toMatchObject({ ...both, settings: { base_url: GIVEN.base_url } });
  expect((await contractIn(key, service.key, "sandbox")).status).toBe(404);
  expect((await contractIn(key, service.key)).status).toBe(200);
  expect(outcome(await remove(key))).toBe("404 not_found");
});

test("webhook addresses of the two environments come from different seeds", async () => {
  const key = freshKey();
  const webhook = { verify: "hex", header: "X-Signature", secret: "settings.api_key" };
  const files = connectorFiles(key, { webhook });
  const code = (files["connector.ts"] ?? "").replace("async hear() {}", "async hear() {} handleWebhook() {}");
  await api.put(key, signed(key, { ...files, "connector.ts": code }));
  await api.enable(key);
  const [live, shared] = [await api.show(key), await api.show(key, service.sandboxKey)];
  await api.enable(key, { settings: SANDBOX }, service.sandboxKey);
  const own = await api.show(key, service.sandboxKey);
  const urls = [live, shared, own].map((one) => String(one["webhook_url"]));
  expect(new Set(urls).size).toBe(3);
  expect((await api.show(key))["webhook_url"]).toBe(live["webhook_url"]);
  const sent = async (url: string): Promise<number> => (await fetch(url, { method: "POST", body: "{}" })).status;
  expect([await sent(urls[0] ?? ""), await sent(urls[1] ?? ""), await sent(urls[2] ?? "")]).toEqual([401, 404, 401]);
  await remove(key);
  expect([await sent(urls[1] ?? ""), await sent(urls[2] ?? "")]).toEqual([401, 404]);
});

describe("promotion", () => {
  test("a promotion shows the difference, and enables the version with live settings", async () => {
    const { key, live, sandbox } = await beside();
    const plan = {
      object: "connector_promotion",
      key,
      dry_run: true,
      effect: "update",
      source_version: "1.1.0",
      source_digest: sandbox,
      live_version: "1.0.0",
      live_digest: live,
      downgrade: false,
      adds: {
        egress: [],
        events: ["order.paid"],
        fires: ["a.b"],
        reads: [],
        mail: false,
        actions: [],
        changed_actions: [ACTION(key)["key"]],
      },
      missing_settings: [],
      warnings: [],
    };
    expect((await promote(key, { dry_run: true })).body).toEqual(plan);
    expect((await api.show(key))["digest"]).toBe(live);
    const done = await promote(key, { source_digest: sandbox, live_digest: live });
    expect([done.status, done.body]).toEqual([
      200,
      { ...plan, dry_run: false, live_version: "1.1.0", live_digest: sandbox },
    ]);
    expect(await api.show(key)).toMatchObject({
      digest: sandbox,
      state: "enabled",
      installed_in: "live",
      acts_in: ["live"],
      settings: { base_url: GIVEN.base_url },
    });
    expect((await api.show(key))["settings"]).not.toHaveProperty("region");
    expect((await contractIn(key, service.key)).body).toMatchObject({
      label: "Refund in the sandbox",
      environment: "live",
    });
    expect(await api.show(key, service.sandboxKey)).toMatchObject({ digest: sandbox, installed_in: "sandbox" });
    expect((await promote(key)).body).toMatchObject({ effect: "none", live_digest: sandbox });
    const { data } = (await service.api("GET", "/v1/audit?kind=connector&limit=2")).body;
    expect(data.map((row: Parsed) => row.action)).toEqual(["connectors.promote", "connectors.promote"]);
  });

  test("a promotion copies no settings, so that live needs its own", async () => {
    const { key } = await freshConnector(service);
    await api.enable(key, { settings: SANDBOX }, service.sandboxKey);
    expect((await promote(key, { dry_run: true })).body).toMatchObject({
      effect: "create",
      live_digest: null,
      missing_settings: ["base_url", "api_key"],
      adds: { events: ["order.created"], actions: [ACTION(key)["key"]] },
    });
    const refused = await promote(key, { settings: { base_url: GIVEN.base_url } });
    expect([outcome(refused), refused.body["errors"][0].pointer]).toEqual([
      "422 validation_failed",
      "/settings/api_key",
    ]);
    expect(await api.show(key)).toMatchObject({ installed_in: "sandbox" });
    expect(outcome(await promote(key, { settings: { ...GIVEN, base_url: "https://10.0.0.1/" } }))).toBe(
      "422 url_blocked",
    );
    const done = await promote(key, { settings: GIVEN, live_digest: null });
    expect(done.body).toMatchObject({ effect: "create", missing_settings: [] });
    expect(done.text).not.toContain(GIVEN.api_key);
    expect(await api.show(key)).toMatchObject({ state: "enabled", settings: { base_url: GIVEN.base_url } });
  });

  test("a version that was changed or does not run is refused: 404, 409", async () => {
    const { key, live } = await beside();
    const reasons = async (body: object): Promise<unknown> => {
      const answer = await promote(key, body);
      return [outcome(answer), answer.body["reason"]];
    };
    expect(await reasons({ source_digest: live })).toEqual(["409 conflict", "version_changed"]);
    expect(await reasons({ live_digest: null })).toEqual(["409 conflict", "version_changed"]);
    await api.disable(key, service.sandboxKey);
    expect(await reasons({})).toEqual(["409 conflict", "not_running"]);
    await remove(key);
    expect(await reasons({ dry_run: true })).toEqual(["409 conflict", "already_live"]);
    expect(outcome(await promote("no-such"))).toBe("404 not_found");
    expect((await api.show(key))["digest"]).toBe(live);
  });

  test("an older version needs consent, and a development version is refused: 409", async () => {
    const { key } = await freshConnector(service, { version: "2.0.0" });
    await api.enable(key);
    await drop(key, { version: "1.9.0" });
    await api.enable(key, { settings: SANDBOX }, service.sandboxKey);
    expect((await promote(key, { dry_run: true })).body["downgrade"]).toBe(true);
    expect((await promote(key)).body["reason"]).toBe("downgrade");
    expect((await promote(key, { allow_downgrade: true })).status).toBe(200);
    const author = newSigner();
    const { keyring } = service.service.connectors;
    await keyring.trust({ publicKey: author.publicKey, name: "Dev", connectors: null, development: true });
    await api.put(key, signed(key, connectorFiles(key, { version: "3.0.0" }), { by: [author] }));
    const { update } = await api.show(key, service.sandboxKey);
    expect((await api.enable(key, { digest: update.digest }, service.sandboxKey)).status).toBe(200);
    expect((await promote(key, { dry_run: true })).body["reason"]).toBe("key_not_allowed");
    expect(outcome(await promote(key))).toBe("409 conflict");
    expect((await api.show(key))["version"]).toBe("1.9.0");
  });

  test("ten concurrent promotions and changes on two nodes leave one consistent version", async () => {
    const { key, sandbox } = await beside();
    const other = await startService({ on: service, env: UNLIMITED });
    const answers = await Promise.all(
      Array.from({ length: 10 }, async (_, at) => {
        const on = at % 2 === 0 ? service : other;
        if (at % 3 === 0) return await on.api("POST", `${PATH}/${key}/disable`);
        return await on.api("POST", `${PATH}/${key}/promote`, {});
      }),
    );
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    expect((await promote(key)).status).toBe(200);
    expect(await api.show(key)).toMatchObject({ digest: sandbox, state: "enabled" });
    await other.close();
  });
});

describe("attacks", () => {
  let pair: Awaited<ReturnType<typeof beside>>;
  beforeEach(async () => {
    pair = await beside();
  });

  test("a sandbox key cannot read, change, stop or promote the live connector: 403, 404", async () => {
    const { key } = pair;
    const before = (await shownIn(key, "live")).text;
    const as = service.sandboxKey;
    const owner = await signIn(service);
    const inSandbox = async (body: object): Promise<ApiAnswer> =>
      await owner.call("POST", `${PATH}/${key}/promote`, body, { "X-Service-Environment": "sandbox" });
    const refused = [
      await shownIn(key, "live", as),
      await service.api("GET", `${PATH}?environment=live`, undefined, { key: as }),
      await inSandbox({}),
      await inSandbox({ dry_run: true }),
    ];
    expect(refused.map(outcome)).toEqual(Array(4).fill("403 environment_mismatch"));
    const own = [
      await api.enable(key, { settings: { page_size: 3 } }, as),
      await api.patch(key, { region: "eu" }, as),
      await service.api("POST", `${PATH}/${key}/test`, undefined, { key: as }),
      await api.disable(key, as),
      await remove(key, as),
    ];
    for (const answer of own) expect([answer.status < 300, answer.text.includes(GIVEN.api_key)]).toEqual([true, false]);
    expect(outcome(await remove(key, as))).toBe("404 not_found");
    expect(outcome(await api.disable(key, as))).toBe("403 environment_mismatch");
    const after = (await shownIn(key, "live")).body;
    const { acts_in: _acts, health: _health, ...same } = JSON.parse(before);
    expect(after).toMatchObject(same);
  });

  test("only owners and admins of the workspace promote, and only writers remove: 401, 403", async () => {
    const { key, live } = pair;
    const developer = await mintKey(service, { role: "developer" });
    const ai = await mintKey(service, { role: "ai" });
    expect(outcome(await promote(key, {}, developer.key))).toBe("403 role_not_allowed");
    expect(outcome(await promote(key, {}, ai.key))).toBe("403 role_not_allowed");
    expect(outcome(await remove(key, ai.key))).toBe("403 role_not_allowed");
    const other = await otherWorkspace(service);
    expect(outcome(await promote(key, {}, other.key))).toBe("409 conflict");
    expect(outcome(await remove(key, other.key))).toBe("404 not_found");
    const scoped = await mintKey(service, { role: "admin", permission_mode: "read_only" });
    expect(outcome(await promote(key, {}, scoped.key))).toBe("403 key_read_only");
    const admin = await joined(service, "admin");
    await service.database.query(
      "update member set removed_at = now() where person_id = (select id from person where email = $1)",
      [admin.email],
    );
    expect((await admin.call("POST", `${PATH}/${key}/promote`, {})).status).toBeGreaterThanOrEqual(401);
    expect((await api.show(key))["digest"]).toBe(live);
    expect((await api.show(key, service.sandboxKey))["installed_in"]).toBe("sandbox");
  });

  test("the secrets of each environment are sealed for its own row", async () => {
    const { key } = pair;
    const rows = await service.database.query("select * from connector_install where key like $1 order by key", [
      `%${key}`,
    ]);
    expect(rows.map((row) => row["key"])).toEqual([key, `sandbox:${key}`]);
    for (const column of sealedByConnectors) {
      const places = rows.map((row) => column.place(row as never));
      expect(new Set(places).size).toBe(2);
    }
    await service.database.query("update connector_install set secrets_sealed = $1 where key = $2", [
      rows[0]?.["secrets_sealed"],
      `sandbox:${key}`,
    ]);
    // A secret that was moved between the rows cannot be read.
    const tried = await service.api("POST", `${PATH}/${key}/test`, undefined, { key: service.sandboxKey });
    expect(tried.status).toBe(500);
    expect((await service.api("POST", `${PATH}/${key}/test`)).status).toBe(200);
  });
});
