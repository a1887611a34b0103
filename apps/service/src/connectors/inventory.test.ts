import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { sha256 } from "../kernel/kernel.ts";
import {
  actionOf,
  connectorFiles,
  CONNECTORS,
  DATA,
  drop,
  freshConnector,
  freshKey,
  GIVEN,
  newSigner,
  signed,
} from "../testing/connectors.ts";
import type { Files } from "../testing/connectors.ts";
import { mintKey, otherWorkspace } from "../testing/keys.ts";
import { joined, outcome } from "../testing/people.ts";
import { startService } from "../testing/service.ts";
import type { ApiAnswer, Parsed, TestService } from "../testing/service.ts";
import { UNLIMITED } from "../testing/subscription.ts";

const PATH = "/v1/connectors";
let service: TestService;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

async function put(key: string, files: Files, on = service): Promise<void> {
  await drop(join(CONNECTORS, key), files);
  expect((await on.api("POST", `${PATH}/rescan`)).status).toBe(200);
}

async function show(key: string, as = service.key): Promise<Parsed> {
  return (await service.api("GET", `${PATH}/${key}`, undefined, { key: as })).body;
}

async function enable(key: string, body: object = { settings: GIVEN }, as = service.key): Promise<ApiAnswer> {
  return await service.api("POST", `${PATH}/${key}/enable`, body, { key: as });
}

async function disable(key: string, as = service.key): Promise<ApiAnswer> {
  return await service.api("POST", `${PATH}/${key}/disable`, undefined, { key: as });
}

async function patch(key: string, settings: object, as = service.key): Promise<ApiAnswer> {
  return await service.api("PATCH", `${PATH}/${key}`, { settings }, { key: as });
}

function faults(answer: { body: Parsed }): string[] {
  return answer.body["errors"].map((one: Parsed) => `${one.pointer} ${one.code}`);
}

async function contract(key: string): Promise<ApiAnswer> {
  return await service.api("GET", `/v1/action-contracts/${key.replaceAll("-", "_")}.refund`);
}

covers(
  ["connector.folder.discovered", "connector.folder.self-contained", "connector.api.list"],
  "a folder dropped into place is found at start and by a rescan, and listed with what it may do: 200",
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
      // Nothing of it runs yet, and nothing pretends to.
      health: { status: "not_running", last_run_at: null, last_error: null },
    });
    expect(await show(key)).toEqual(found);
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

covers(
  "connector.folder.signed",
  "a refused folder is listed with the reason, and nothing of what it says",
  async () => {
    const key = freshKey();
    await put(key, connectorFiles(key));
    expect(await show(key)).toMatchObject({
      state: "refused",
      signature: "unsigned",
      name: null,
      settings_schema: null,
      reason: { code: "unsigned", path: "MANIFEST.json" },
    });
    expect(outcome(await enable(key))).toBe("409 conflict");
    expect(outcome(await patch(key, GIVEN))).toBe("409 conflict");
    await put(key, signed(key, connectorFiles(key), { by: [newSigner()] }));
    expect(await show(key)).toMatchObject({ state: "refused", signature: "invalid", reason: { code: "key_unknown" } });
  },
);

covers(
  ["connector.folder.enabled", "connector.hook.register-actions"],
  "enabling pins the version, keeps the settings and registers the actions under the connector's key: 200",
  async () => {
    const { key } = await freshConnector(service);
    const answer = await enable(key);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      state: "enabled",
      enabled: true,
      settings: { base_url: GIVEN.base_url },
      secrets: { api_key: "set" },
    });
    expect(answer.text).not.toContain(GIVEN.api_key);
    const made = await contract(key);
    expect([made.status, made.body["connector_key"]]).toEqual([200, key]);
    const path = `/v1/action-contracts/${made.body["key"]}`;
    expect(outcome(await service.api("PATCH", path, { label: "Mine" }))).toBe("409 conflict");
    expect(outcome(await service.api("DELETE", path))).toBe("409 conflict");
    expect((await enable(key, {})).status).toBe(200);
    expect((await contract(key)).body["version"]).toBe(1);
  },
);

test("disabling takes the actions back and keeps version and settings, once or twice: 200", async () => {
  const { key } = await freshConnector(service);
  expect(outcome(await disable(key))).toBe("409 conflict");
  await enable(key);
  const answer = await disable(key);
  expect([answer.status, answer.body["state"], answer.body["version"]]).toEqual([200, "disabled", "1.0.0"]);
  expect((await contract(key)).status).toBe(404);
  expect((await disable(key)).status).toBe(200);
  expect((await enable(key, {})).body).toMatchObject({ state: "enabled", secrets: { api_key: "set" } });
  expect((await contract(key)).body["version"]).toBe(2);
});

describe("settings", () => {
  test("settings are kept before the connector is enabled, and are whole before it is: 200, 422", async () => {
    const { key } = await freshConnector(service);
    const partial = await patch(key, { api_key: "secret one" });
    expect([partial.status, partial.body["state"], partial.body["secrets"]]).toEqual([
      200,
      "verified",
      { api_key: "set" },
    ]);
    expect(faults(await enable(key, {}))).toEqual(["/settings/base_url required"]);
    expect((await patch(key, { base_url: GIVEN.base_url })).body["state"]).toBe("configured");
    expect((await enable(key, {})).status).toBe(200);
    expect(faults(await patch(key, { base_url: null }))).toEqual(["/settings/base_url required"]);
    expect((await patch(key, { page_size: 7 })).body["settings"]).toEqual({ base_url: GIVEN.base_url, page_size: 7 });
    expect((await patch(key, { page_size: null })).body["settings"]).toEqual({ base_url: GIVEN.base_url });
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
    const answer = await patch(key, settings);
    expect([outcome(answer), faults(answer)]).toEqual(["422 validation_failed", pointers]);
    expect(outcome(await enable(key, { settings: { ...GIVEN, ...settings } }))).toBe("422 validation_failed");
  });

  covers("target.check.save", "a URL among the settings passes the guard: 422 url_blocked", async () => {
    const { key } = await freshConnector(service);
    const answer = await patch(key, { base_url: "https://169.254.169.254/latest" });
    expect([outcome(answer), faults(answer)]).toEqual(["422 url_blocked", ["/settings/base_url url_blocked"]]);
    expect(outcome(await enable(key, { settings: { ...GIVEN, base_url: "https://10.0.0.1/" } }))).toBe(
      "422 url_blocked",
    );
  });

  test("a secret is neither in the database's text, nor in the audit, nor in any answer", async () => {
    const secret = "sk-this-must-not-be-seen-anywhere";
    const { key } = await freshConnector(service);
    const answers = [
      await enable(key, { settings: { ...GIVEN, api_key: secret } }),
      await patch(key, { api_key: secret }),
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

  test("what was done is in the audit, with the settings taken out", async () => {
    const { key } = await freshConnector(service);
    await enable(key);
    await patch(key, { region: "us" });
    await disable(key);
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

describe("versions", () => {
  covers(
    "connector.folder.signed",
    "a folder changed while its connector is enabled is told of, and changes nothing that runs",
    async () => {
      const { key } = await freshConnector(service);
      const { digest } = (await enable(key)).body;
      await writeFile(join(CONNECTORS, key, "connector.ts"), "class Evil extends AbstractConnector {}");
      await service.api("POST", `${PATH}/rescan`);
      const view = await show(key);
      expect(view).toMatchObject({ state: "enabled", digest, signature: "valid", update: null });
      expect(view["folder"]).toMatchObject({
        status: "refused",
        reason: { code: "file_modified", path: "connector.ts" },
      });
      await rm(join(CONNECTORS, key), { recursive: true });
      await service.api("POST", `${PATH}/rescan`);
      expect(await show(key)).toMatchObject({ state: "enabled", digest, folder: { status: "absent" } });
      const other = await otherWorkspace(service);
      expect(outcome(await service.api("GET", `${PATH}/${key}`, undefined, { key: other.key }))).toBe("404 not_found");
      expect((await contract(key)).status).toBe(200);
    },
  );

  test("another version is shown as an update with what it may do beyond, and runs only when its digest is named", async () => {
    const { key } = await freshConnector(service);
    const first = (await enable(key)).body;
    const action = actionOf(key, { risk: "medium" });
    const more = actionOf(key, { key: `${key.replaceAll("-", "_")}.close` });
    const wider = {
      version: "1.1.0",
      egress: ["127.0.0.1:9", "evil.example"],
      events: ["order.created", "order.paid"],
      reads: ["contacts", "tickets"],
      fires: [],
    };
    await put(key, signed(key, connectorFiles(key, wider, [action, more])));
    const { update, state, version, enabled } = await show(key);
    expect([state, version, enabled]).toEqual(["update_available", "1.0.0", true]);
    expect(update).toMatchObject({
      version: "1.1.0",
      downgrade: false,
      adds: {
        egress: ["evil.example"],
        events: ["order.paid"],
        fires: [],
        reads: ["tickets"],
        actions: [more["key"]],
        changed_actions: [action["key"]],
      },
    });
    // Settings sent anew, and a switch off and on, keep the version.
    expect((await enable(key)).body["digest"]).toBe(first["digest"]);
    await disable(key);
    expect((await enable(key, {})).body["digest"]).toBe(first["digest"]);
    expect((await contract(key)).body["risk"]).toBe("low");
    const updated = await enable(key, { digest: update.digest });
    expect(updated.body).toMatchObject({ state: "enabled", version: "1.1.0", digest: update.digest, update: null });
    expect((await contract(key)).body["risk"]).toBe("medium");
    const older = await enable(key, { digest: first["digest"] });
    expect([outcome(older), older.body["reason"]]).toEqual(["409 conflict", "downgrade"]);
    const back = await enable(key, { digest: first["digest"], allow_downgrade: true });
    expect(back.body).toMatchObject({ version: "1.0.0", update: { version: "1.1.0" } });
    expect((await service.api("GET", `/v1/action-contracts/${String(more["key"])}`)).status).toBe(404);
  });

  test("an older version in the folder is an update that is called a downgrade", async () => {
    const { key } = await freshConnector(service, { version: "2.0.0" });
    await enable(key);
    await put(key, signed(key, connectorFiles(key, { version: "1.9.9" })));
    const { update } = await show(key);
    expect(update).toMatchObject({ version: "1.9.9", downgrade: true });
    expect(outcome(await enable(key, { digest: update.digest }))).toBe("409 conflict");
  });

  test("a digest that nobody verified is refused, however it looks: 409, 422", async () => {
    const { key } = await freshConnector(service);
    const answer = await enable(key, { settings: GIVEN, digest: "0".repeat(64) });
    expect([outcome(answer), answer.body["reason"]]).toEqual(["409 conflict", "digest_unknown"]);
    const { key: other } = await freshConnector(service, { version: "3.0.0" });
    const { digest } = await show(other);
    expect(outcome(await enable(key, { settings: GIVEN, digest }))).toBe("409 conflict");
    expect(outcome(await enable(key, { digest: "../../etc" }))).toBe("422 validation_failed");
  });
});

test("an action whose name is taken is refused with the name, and nothing is enabled: 409", async () => {
  const { key } = await freshConnector(service);
  const mine = actionOf(key);
  expect((await service.api("POST", "/v1/action-contracts", mine)).status).toBe(201);
  const answer = await enable(key);
  expect([outcome(answer), answer.body["reason"]]).toEqual(["409 conflict", "action_taken"]);
  expect(answer.body["detail"]).toContain(mine["key"]);
  expect(await show(key)).toMatchObject({ state: "verified", enabled: false, secrets: { api_key: "unset" } });
  expect((await contract(key)).body["connector_key"]).toBeNull();
});

test("twenty who enable and disable at once leave it whole", async () => {
  const { key } = await freshConnector(service);
  await patch(key, GIVEN);
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, at) => (at % 2 === 0 ? await enable(key, {}) : await disable(key))),
  );
  expect(new Set(answers.map(outcome))).toEqual(
    new Set(["200", "409 conflict"].filter((one) => answers.map(outcome).includes(one))),
  );
  expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
  const { enabled } = await show(key);
  expect((await contract(key)).status).toBe(enabled === true ? 200 : 404);
});

describe("who may, and where", () => {
  covers("workspace.isolation.no-global", "what one workspace enables and sets is nobody else's", async () => {
    const { key } = await freshConnector(service);
    await enable(key);
    const other = await otherWorkspace(service);
    expect(await show(key, other.key)).toMatchObject({
      state: "verified",
      settings: {},
      secrets: { api_key: "unset" },
    });
    expect(outcome(await disable(key, other.key))).toBe("409 conflict");
    expect((await contract(key)).status).toBe(200);
  });

  covers(
    "sandbox.data.apart",
    "a sandbox key sets up the sandbox alone, and touches nothing that is enabled in production: 403",
    async () => {
      const { key } = await freshConnector(service);
      expect((await enable(key, { settings: { ...GIVEN, region: "us" } }, service.sandboxKey)).body).toMatchObject({
        state: "enabled",
        sandbox_only: true,
      });
      expect((await contract(key)).body["environment"]).toBe("sandbox");
      // What a sandbox credential set does not come along into production.
      expect(faults(await enable(key, {}))).toEqual(["/settings/base_url required", "/settings/api_key required"]);
      expect((await enable(key)).body).toMatchObject({ sandbox_only: false, settings: { base_url: GIVEN.base_url } });
      expect((await contract(key)).body["environment"]).toBe("live");
      const answers = [
        await enable(key, {}, service.sandboxKey),
        await disable(key, service.sandboxKey),
        await patch(key, { region: "us" }, service.sandboxKey),
      ];
      expect(answers.map(outcome)).toEqual(Array(3).fill("403 environment_mismatch"));
    },
  );

  test("an operator reads, and switches nothing: 403, and an unknown key is 404", async () => {
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
    expect(outcome(await enable(key, {}, reader.key))).toBe("403 key_read_only");
    for (const answer of [
      await enable("no-such"),
      await disable("no-such"),
      await patch("no-such", {}),
      await service.api("GET", `${PATH}/no-such`),
    ])
      expect(outcome(answer)).toBe("404 not_found");
    expect(outcome(await service.api("POST", `${PATH}/rescan`, { folder: "/etc" }))).toBe("422 validation_failed");
  });
});

describe("keys that sign", () => {
  test("a development key's connector is enabled in the sandbox only", async () => {
    const author = newSigner();
    const { keyring } = service.service.connectors;
    await keyring.trust({ publicKey: author.publicKey, name: "Dev", connectors: null, development: true });
    const key = freshKey();
    await put(key, signed(key, connectorFiles(key), { by: [author] }));
    expect(await show(key)).toMatchObject({ state: "verified", signature: "valid", sandbox_only: true });
    const answer = await enable(key);
    expect([outcome(answer), answer.body["reason"]]).toEqual(["409 conflict", "key_not_allowed"]);
    expect((await enable(key, { settings: GIVEN }, service.sandboxKey)).status).toBe(200);
  });

  test("a revoked key stops what it alone signed, on every node and at once, and its actions go", async () => {
    const author = newSigner();
    const { keyring } = service.service.connectors;
    await keyring.trust({ publicKey: author.publicKey, name: "Author", connectors: null, development: false });
    const [alone, twice] = [freshKey(), freshKey()];
    await put(alone, signed(alone, connectorFiles(alone), { by: [author] }));
    const next = newSigner();
    await keyring.trust({ publicKey: next.publicKey, name: "Next", connectors: [twice], development: false });
    await put(twice, signed(twice, connectorFiles(twice), { by: [next, author] }));
    for (const key of [alone, twice]) expect((await enable(key)).status).toBe(200);
    expect(await keyring.revoke(author.keyId)).toMatchObject({ quarantined: 1, revoked_at: expect.any(String) });
    expect(await show(alone)).toMatchObject({
      state: "quarantined",
      enabled: false,
      signature: "invalid",
      reason: { code: "key_revoked" },
    });
    expect((await contract(alone)).status).toBe(404);
    expect(await show(twice)).toMatchObject({ state: "enabled", signature: "valid" });
    expect(outcome(await enable(alone, {}))).toBe("409 conflict");
    await service.api("POST", `${PATH}/rescan`);
    expect((await show(alone))["folder"]).toMatchObject({ status: "refused", reason: { code: "key_revoked" } });
    // Trusted again it is enabled by a person, never by itself.
    await keyring.trust({ publicKey: author.publicKey, name: "Author", connectors: null, development: false });
    await service.api("POST", `${PATH}/rescan`);
    expect(await show(alone)).toMatchObject({ state: "quarantined" });
    expect((await enable(alone, {})).body["state"]).toBe("enabled");
    await expect(keyring.revoke("0".repeat(32))).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("what is kept of a verified folder", () => {
  test("the files lie in the data folder by the hash of their bytes, for their owner to read alone", async () => {
    const { key } = await freshConnector(service);
    const { digest } = await show(key);
    const stored = join(DATA, "connectors", "sha256");
    const manifest = await readFile(join(stored, digest.slice(0, 2), digest), "utf8");
    expect(sha256(manifest).toString("hex")).toBe(digest);
    for (const { sha256: hash } of Object.values<Parsed>(JSON.parse(manifest).files))
      expect(sha256(await readFile(join(stored, hash.slice(0, 2), hash))).toString("hex")).toBe(hash);
    const drafts = (await readdir(stored, { recursive: true })).filter((name) => name.includes("."));
    expect(drafts).toEqual([]);
  });

  test("a version whose kept files were changed or lost is not enabled until a scan has put them back", async () => {
    const { key } = await freshConnector(service, { description: freshKey() });
    const { digest } = await show(key);
    const place = join(DATA, "connectors", "sha256", digest.slice(0, 2), digest);
    await rm(place);
    await writeFile(place, "something else");
    const answer = await enable(key);
    expect([outcome(answer), answer.body["reason"]]).toEqual(["409 conflict", "files_missing"]);
    await service.api("POST", `${PATH}/rescan`);
    expect((await enable(key)).status).toBe(200);
  });
});

test("two nodes that scan at once, over and over, write one truth", async () => {
  const node = await startService({ on: service, env: UNLIMITED });
  const { key } = await freshConnector(service);
  const answers = await Promise.all(
    Array.from({ length: 12 }, async (_, at) => await (at % 2 === 0 ? service : node).api("POST", `${PATH}/rescan`)),
  );
  await node.close();
  expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
  expect(new Set(answers.map(({ body }) => body["verified"])).size).toBe(1);
  expect(await show(key)).toMatchObject({ state: "verified" });
});

test("names that no connector can have, and one key in two folders, are shown for what they are", async () => {
  const folders = `${CONNECTORS},${CONNECTORS}-more`;
  const key = freshKey();
  await drop(join(CONNECTORS, key), signed(key, connectorFiles(key)));
  await drop(join(`${CONNECTORS}-more`, key), signed(key, connectorFiles(key)));
  await drop(join(`${CONNECTORS}-more`, "Odd näme"), {});
  const node = await startService({ on: service, env: { JUNCTION_CONNECTORS_DIR: folders } });
  expect((await node.api("GET", `${PATH}/${key}`)).body).toMatchObject({
    state: "refused",
    reason: { code: "connector_key_twice" },
  });
  const odd = `${PATH}/${encodeURIComponent(encodeURIComponent("Odd näme"))}`;
  expect((await node.api("GET", odd)).body).toMatchObject({
    state: "refused",
    reason: { code: "connector_key_malformed" },
  });
  await node.close();
});
