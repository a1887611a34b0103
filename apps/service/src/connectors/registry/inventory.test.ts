import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { join } from "node:path";
import { covers } from "../../../../../requirements/covers.ts";
import {
  actionOf,
  connectorApi,
  connectorFiles,
  CONNECTORS,
  drop,
  freshConnector,
  freshKey,
  GIVEN,
  newSigner,
  PATH,
  signed,
} from "../../testing/connectors.ts";
import type { ConnectorApi } from "../../testing/connectors.ts";
import { mintKey, otherWorkspace } from "../../testing/keys.ts";
import { joined, outcome } from "../../testing/people.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let api: ConnectorApi;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  api = connectorApi(service);
});
afterAll(async () => await service.close());

function faults(answer: { body: Parsed }): string[] {
  return answer.body["errors"].map((one: Parsed) => `${one.pointer} ${one.code}`);
}

covers(
  ["connector.folder.discovered", "connector.folder.self-contained", "connector.api.list"],
  "a new folder is found at start and by rescans, and listed: 200",
  async () => {
    const key = freshKey();
    await drop(join(CONNECTORS, key), signed(key, connectorFiles(key, { runtime: "php", priority: 30 })));
    const other = await startService({ on: service });
    const [found] = (await other.api("GET", PATH)).body["data"];
    await other.close();
    expect(found).toMatchObject({
      object: "connector",
      key,
      name: "Acme",
      version: "1.0.0",
      state: "verified",
      enabled: false,
      runtime: "php",
      signature: "valid",
      priority: 30,
      events: ["order.created"],
      fires: ["payment.completed"],
      actions: [`${key.replaceAll("-", "_")}.refund`],
      settings: {},
      secrets: { api_key: "unset" },
      folder: { status: "verified", version: "1.0.0" },
      update: null,
      // The connector has not run yet, so it is not reported as healthy.
      health: { status: "not_running", last_run_at: null, last_error: null },
    });
    expect(await api.show(key)).toEqual(found);
    const first = (await service.api("GET", `${PATH}?limit=1`)).body;
    expect(first["data"]).toHaveLength(1);
    const { key: later } = await freshConnector(service);
    const next = (await service.api("GET", `${PATH}?limit=1`)).body;
    expect([next.data[0].key, next.has_more]).toEqual([later, true]);
    const rest = (await service.api("GET", `${PATH}?limit=1&cursor=${next.next_cursor}`)).body;
    expect(rest.data[0].key).toBe(key);
    expect(outcome(await service.api("GET", `${PATH}?cursor=x`))).toBe("400 cursor_invalid");
  },
);

covers("connector.folder.signed", "a refused folder is listed with the reason and without its contents", async () => {
  const key = freshKey();
  await api.put(key, connectorFiles(key));
  expect(await api.show(key)).toMatchObject({
    state: "refused",
    signature: "unsigned",
    name: null,
    settings_schema: null,
    reason: { code: "unsigned", path: "MANIFEST.json" },
  });
  expect(outcome(await api.enable(key))).toBe("409 conflict");
  expect(outcome(await api.patch(key, GIVEN))).toBe("409 conflict");
  await api.put(key, signed(key, connectorFiles(key), { by: [newSigner()] }));
  expect(await api.show(key)).toMatchObject({
    state: "refused",
    signature: "invalid",
    reason: { code: "key_unknown" },
  });
});

covers(
  ["connector.folder.enabled", "connector.hook.register-actions"],
  "enabling pins the version, keeps the settings and registers the actions: 200",
  async () => {
    const { key } = await freshConnector(service);
    const answer = await api.enable(key);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      state: "enabled",
      enabled: true,
      settings: { base_url: GIVEN.base_url },
      secrets: { api_key: "set" },
    });
    expect(answer.text).not.toContain(GIVEN.api_key);
    const made = await api.contract(key);
    expect([made.status, made.body["connector_key"]]).toEqual([200, key]);
    const path = `/v1/action-contracts/${made.body["key"]}`;
    expect(outcome(await service.api("PATCH", path, { label: "Mine" }))).toBe("409 conflict");
    expect(outcome(await service.api("DELETE", path))).toBe("409 conflict");
    expect((await api.enable(key, {})).status).toBe(200);
    expect((await api.contract(key)).body["version"]).toBe(1);
  },
);

test("disabling removes the actions and keeps version and settings, also when repeated", async () => {
  const { key } = await freshConnector(service);
  expect(outcome(await api.disable(key))).toBe("409 conflict");
  await api.enable(key);
  const answer = await api.disable(key);
  expect([answer.status, answer.body["state"], answer.body["version"]]).toEqual([200, "disabled", "1.0.0"]);
  expect((await api.contract(key)).status).toBe(404);
  expect((await api.disable(key)).status).toBe(200);
  expect((await api.enable(key, {})).body).toMatchObject({ state: "enabled", secrets: { api_key: "set" } });
  expect((await api.contract(key)).body["version"]).toBe(2);
});

describe("settings", () => {
  test("settings may be incomplete until the connector is enabled: 200, 422", async () => {
    const { key } = await freshConnector(service);
    const partial = await api.patch(key, { api_key: "secret one" });
    expect([partial.status, partial.body["state"], partial.body["secrets"]]).toEqual([
      200,
      "verified",
      { api_key: "set" },
    ]);
    expect(faults(await api.enable(key, {}))).toEqual(["/settings/base_url required"]);
    expect((await api.patch(key, { base_url: GIVEN.base_url })).body["state"]).toBe("configured");
    expect((await api.enable(key, {})).status).toBe(200);
    expect(faults(await api.patch(key, { base_url: null }))).toEqual(["/settings/base_url required"]);
    expect((await api.patch(key, { page_size: 7 })).body["settings"]).toEqual({
      base_url: GIVEN.base_url,
      page_size: 7,
    });
    expect((await api.patch(key, { page_size: null })).body["settings"]).toEqual({ base_url: GIVEN.base_url });
  });

  test.each<[object, string[]]>([
    [{ base_url: 1 }, ["/settings/base_url type"]],
    [
      { api_key: "abc", page_size: 0, verbose: "yes" },
      ["/settings/api_key minLength", "/settings/page_size minimum", "/settings/verbose type"],
    ],
    [{ page_size: 1.5 }, ["/settings/page_size type"]],
    [{ page_size: 101 }, ["/settings/page_size maximum"]],
    [{ region: "mars" }, ["/settings/region enum"]],
    [{ api_key: "line one\nline two" }, ["/settings/api_key text"]],
    [{ "a/b~c": 1 }, ["/settings/a~1b~0c unknown"]],
    [JSON.parse('{"__proto__":1,"constructor":1}'), ["/settings/__proto__ unknown", "/settings/constructor unknown"]],
  ])("settings %j are refused at their pointers: 422", async (settings, pointers) => {
    const { key } = await freshConnector(service);
    const answer = await api.patch(key, settings);
    expect([outcome(answer), faults(answer)]).toEqual(["422 validation_failed", pointers]);
    expect(outcome(await api.enable(key, { settings: { ...GIVEN, ...settings } }))).toBe("422 validation_failed");
  });

  covers("target.check.save", "a URL in the settings is checked: 422 url_blocked", async () => {
    const { key } = await freshConnector(service);
    const answer = await api.patch(key, { base_url: "https://169.254.169.254/latest" });
    expect([outcome(answer), faults(answer)]).toEqual(["422 url_blocked", ["/settings/base_url url_blocked"]]);
    expect(outcome(await api.enable(key, { settings: { ...GIVEN, base_url: "https://10.0.0.1/" } }))).toBe(
      "422 url_blocked",
    );
  });

  test("a secret is not in the database's text, the audit log or any response", async () => {
    const secret = "sk-this-must-not-be-seen-anywhere";
    const { key } = await freshConnector(service);
    const answers = [
      await api.enable(key, { settings: { ...GIVEN, api_key: secret } }),
      await api.patch(key, { api_key: secret }),
    ];
    answers.push(await service.api("GET", PATH), await service.api("GET", `${PATH}/${key}`));
    answers.push(await service.api("GET", "/v1/audit?kind=connector"));
    for (const { status, text } of answers) expect([status, text.includes(secret)]).toEqual([200, false]);
    const rows = await service.database.query("select * from connector_install");
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(rows.some((row) => Buffer.isBuffer(row["secrets_sealed"]) && row["secrets_sealed"].includes(secret))).toBe(
      false,
    );
  });

  test("changes are in the audit log, without the settings", async () => {
    const { key } = await freshConnector(service);
    await api.enable(key);
    await api.patch(key, { region: "us" });
    await api.disable(key);
    const { data } = (await service.api("GET", "/v1/audit?kind=connector&limit=4")).body;
    expect(data.map((row: Parsed) => row.action)).toEqual([
      "connectors.disable",
      "connectors.update",
      "connectors.enable",
      "connectors.rescan",
    ]);
    expect(JSON.stringify(data)).not.toContain(GIVEN.base_url);
  });
});

test("an action whose name is taken is refused, and nothing is enabled: 409", async () => {
  const { key } = await freshConnector(service);
  const mine = actionOf(key);
  expect((await service.api("POST", "/v1/action-contracts", mine)).status).toBe(201);
  const answer = await api.enable(key);
  expect([outcome(answer), answer.body["reason"]]).toEqual(["409 conflict", "action_taken"]);
  expect(answer.body["detail"]).toContain(mine["key"]);
  expect(await api.show(key)).toMatchObject({ state: "verified", enabled: false, secrets: { api_key: "unset" } });
  expect((await api.contract(key)).body["connector_key"]).toBeNull();
});

test("twenty concurrent enable and disable requests leave a consistent state", async () => {
  const { key } = await freshConnector(service);
  await api.patch(key, GIVEN);
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, at) => (at % 2 === 0 ? await api.enable(key, {}) : await api.disable(key))),
  );
  expect(new Set(answers.map(outcome))).toEqual(
    new Set(["200", "409 conflict"].filter((one) => answers.map(outcome).includes(one))),
  );
  expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
  const { enabled } = await api.show(key);
  expect((await api.contract(key)).status).toBe(enabled === true ? 200 : 404);
});

describe("permissions and environments", () => {
  covers("workspace.isolation.no-global", "settings and states of one workspace do not affect another", async () => {
    const { key } = await freshConnector(service);
    await api.enable(key);
    const other = await otherWorkspace(service);
    expect(await api.show(key, other.key)).toMatchObject({
      state: "verified",
      settings: {},
      secrets: { api_key: "unset" },
    });
    expect(outcome(await api.disable(key, other.key))).toBe("409 conflict");
    expect((await api.contract(key)).status).toBe(200);
  });

  covers("sandbox.data.apart", "a sandbox key configures only the sandbox, and cannot change production", async () => {
    const { key } = await freshConnector(service);
    expect((await api.enable(key, { settings: { ...GIVEN, region: "us" } }, service.sandboxKey)).body).toMatchObject({
      state: "enabled",
      sandbox_only: true,
    });
    expect((await api.contract(key)).body["environment"]).toBe("sandbox");
    // Settings from a sandbox credential are not used in production.
    expect(faults(await api.enable(key, {}))).toEqual(["/settings/base_url required", "/settings/api_key required"]);
    expect((await api.enable(key)).body).toMatchObject({
      sandbox_only: false,
      settings: { base_url: GIVEN.base_url },
    });
    expect((await api.contract(key)).body["environment"]).toBe("live");
    const live = await api.show(key);
    const answers = [
      await api.enable(key, {}, service.sandboxKey),
      await api.disable(key, service.sandboxKey),
      await api.patch(key, { region: "us" }, service.sandboxKey),
    ];
    expect(answers.map((one) => [one.status, one.body["installed_in"]])).toEqual(answers.map(() => [200, "sandbox"]));
    expect(await api.show(key)).toEqual(live);
  });

  test("an operator can read but not change: 403, and an unknown key is 404", async () => {
    const { key } = await freshConnector(service);
    const operator = await joined(service, "operator");
    expect((await operator.call("GET", `${PATH}/${key}`)).status).toBe(200);
    const calls = [
      await operator.call("POST", `${PATH}/${key}/enable`, { settings: GIVEN }),
      await operator.call("POST", `${PATH}/${key}/disable`),
      await operator.call("PATCH", `${PATH}/${key}`, { settings: {} }),
      await operator.call("POST", `${PATH}/rescan`),
    ];
    expect(calls.map(outcome)).toEqual(Array(4).fill("403 role_not_allowed"));
    const reader = await mintKey(service, { permission_mode: "read_only" });
    expect(outcome(await api.enable(key, {}, reader.key))).toBe("403 key_read_only");
    for (const answer of [
      await api.enable("no-such"),
      await api.disable("no-such"),
      await api.patch("no-such", {}),
      await service.api("GET", `${PATH}/no-such`),
    ])
      expect(outcome(answer)).toBe("404 not_found");
    expect(outcome(await service.api("POST", `${PATH}/rescan`, { folder: "/etc" }))).toBe("422 validation_failed");
  });
});
