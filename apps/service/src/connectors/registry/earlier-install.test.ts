import { afterAll, beforeAll, expect, test } from "vitest";
import { actionOf, connectorApi, connectorFiles, freshKey, GIVEN, PATH, signed } from "../../testing/connectors.ts";
import type { ConnectorApi } from "../../testing/connectors.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

let service: TestService;
let api: ConnectorApi;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  api = connectorApi(service);
});
afterAll(async () => await service.close());

const SANDBOX = { base_url: "http://127.0.0.1:9/sandbox", api_key: "the key of the sandbox" };

async function contract(key: string, as: string): Promise<ApiAnswer> {
  return await service.api("GET", `/v1/action-contracts/${String(actionOf(key)["key"])}`, undefined, { key: as });
}

/** Stores the sandbox installation as an earlier version did: under the connector's own key, sealed for it. */
async function earlier(): Promise<{ readonly key: string; readonly url: string }> {
  const key = freshKey();
  const webhook = { verify: "hex", header: "X-Signature", secret: "settings.api_key" };
  const files = connectorFiles(key, { webhook });
  const code = (files["connector.ts"] ?? "").replace("async hear() {}", "async hear() {} handleWebhook() {}");
  await api.put(key, signed(key, { ...files, "connector.ts": code }));
  await api.enable(key, { settings: SANDBOX });
  for (const [table, column] of [
    ["connector_install", "environment = 'sandbox'"],
    ["connector_listener", "sandbox_only = true"],
  ])
    await service.database.query(`update ${table} set ${column} where key = $1`, [key]);
  await service.database.query(
    "update action_contract set key = 'sandbox:' || key, author_environment = 'sandbox' where connector_key = $1",
    [key],
  );
  await service.database.query("update action_contract_version set author_environment = 'sandbox' where key = $1", [
    actionOf(key)["key"],
  ]);
  return { key, url: String((await api.show(key, service.sandboxKey))["webhook_url"]) };
}

test("a sandbox row of an earlier version acts and is changed as before", async () => {
  const { key } = await earlier();
  const shown = { installed_in: "sandbox", acts_in: ["sandbox"], sandbox_only: true, state: "enabled" };
  expect(await api.show(key)).toMatchObject(shown);
  expect(await api.show(key, service.sandboxKey)).toMatchObject(shown);
  expect((await api.patch(key, { region: "eu" }, service.sandboxKey)).body).toMatchObject({
    ...shown,
    settings: { region: "eu" },
  });
  expect((await api.enable(key, {}, service.sandboxKey)).status).toBe(200);
  expect(await service.database.query("select key from connector_install where key like $1", [`%${key}`])).toEqual([
    { key },
  ]);
  // A live credential can disable it while live has none.
  expect((await api.disable(key)).body).toMatchObject({ installed_in: "sandbox", state: "disabled" });
  expect((await service.api("DELETE", `${PATH}/${key}/sandbox`)).status).toBe(204);
  expect(await api.show(key)).toMatchObject({ state: "verified", installed_in: null, acts_in: [] });
});

test("a live installation moves it to the sandbox's rows with secrets and address", async () => {
  const { key, url } = await earlier();
  expect((await service.api("POST", `${PATH}/${key}/promote`, { dry_run: true })).body["missing_settings"]).toEqual([
    "base_url",
    "api_key",
  ]);
  expect((await api.enable(key)).status).toBe(200);
  expect(await api.show(key)).toMatchObject({
    installed_in: "live",
    acts_in: ["live"],
    settings: { base_url: GIVEN.base_url },
  });
  expect(await api.show(key, service.sandboxKey)).toMatchObject({
    installed_in: "sandbox",
    state: "enabled",
    settings: { base_url: SANDBOX.base_url },
    webhook_url: url,
  });
  expect((await service.api("POST", `${PATH}/${key}/test`, undefined, { key: service.sandboxKey })).body["ok"]).toBe(
    true,
  );
  expect((await contract(key, service.key)).body["environment"]).toBe("live");
  expect((await contract(key, service.sandboxKey)).body["environment"]).toBe("sandbox");
  const listeners = await service.database.query(
    "select key, sandbox_only from connector_listener where key like $1 order by key",
    [`%${key}`],
  );
  expect(listeners).toEqual([
    { key, sandbox_only: false },
    { key: `sandbox:${key}`, sandbox_only: true },
  ]);
});
