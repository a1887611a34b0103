import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { sha256 } from "../../lib/lib.ts";
import {
  actionOf,
  connectorApi,
  connectorFiles,
  CONNECTORS,
  DATA,
  drop,
  freshConnector,
  freshKey,
  GIVEN,
  newSigner,
  PATH,
  signed,
} from "../../testing/connectors.ts";
import type { ConnectorApi } from "../../testing/connectors.ts";
import { otherWorkspace } from "../../testing/keys.ts";
import { outcome } from "../../testing/people.ts";
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

describe("versions", () => {
  covers(
    "connector.folder.signed",
    "a folder that changes while its connector is enabled changes nothing that runs",
    async () => {
      const { key } = await freshConnector(service);
      const { digest } = (await api.enable(key)).body;
      await writeFile(join(CONNECTORS, key, "connector.ts"), "class Evil extends AbstractConnector {}");
      await service.api("POST", `${PATH}/rescan`);
      const view = await api.show(key);
      expect(view).toMatchObject({ state: "enabled", digest, signature: "valid", update: null });
      expect(view["folder"]).toMatchObject({
        status: "refused",
        reason: { code: "file_modified", path: "connector.ts" },
      });
      await rm(join(CONNECTORS, key), { recursive: true });
      await service.api("POST", `${PATH}/rescan`);
      expect(await api.show(key)).toMatchObject({ state: "enabled", digest, folder: { status: "absent" } });
      const other = await otherWorkspace(service);
      expect(outcome(await service.api("GET", `${PATH}/${key}`, undefined, { key: other.key }))).toBe("404 not_found");
      expect((await api.contract(key)).status).toBe(200);
    },
  );

  test("an update shows its added permissions, and runs only when enabled by its digest", async () => {
    const { key } = await freshConnector(service);
    const first = (await api.enable(key)).body;
    const action = actionOf(key, { risk: "medium" });
    const more = actionOf(key, { key: `${key.replaceAll("-", "_")}.close` });
    const wider = {
      version: "1.1.0",
      egress: ["127.0.0.1:9", "evil.example"],
      events: ["order.created", "order.paid"],
      reads: ["contacts", "tickets"],
      fires: [],
    };
    await api.put(key, signed(key, connectorFiles(key, wider, [action, more])));
    const { update, state, version, enabled } = await api.show(key);
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
    // Sending settings again, or disabling and enabling, keeps the version.
    expect((await api.enable(key)).body["digest"]).toBe(first["digest"]);
    await api.disable(key);
    expect((await api.enable(key, {})).body["digest"]).toBe(first["digest"]);
    expect((await api.contract(key)).body["risk"]).toBe("low");
    const updated = await api.enable(key, { digest: update.digest });
    expect(updated.body).toMatchObject({ state: "enabled", version: "1.1.0", digest: update.digest, update: null });
    expect((await api.contract(key)).body["risk"]).toBe("medium");
    const older = await api.enable(key, { digest: first["digest"] });
    expect([outcome(older), older.body["reason"]]).toEqual(["409 conflict", "downgrade"]);
    const back = await api.enable(key, { digest: first["digest"], allow_downgrade: true });
    expect(back.body).toMatchObject({ version: "1.0.0", update: { version: "1.1.0" } });
    expect((await service.api("GET", `/v1/action-contracts/${String(more["key"])}`)).status).toBe(404);
  });

  test("an older version in the folder is an update marked as a downgrade", async () => {
    const { key } = await freshConnector(service, { version: "2.0.0" });
    await api.enable(key);
    await api.put(key, signed(key, connectorFiles(key, { version: "1.9.9" })));
    const { update } = await api.show(key);
    expect(update).toMatchObject({ version: "1.9.9", downgrade: true });
    expect(outcome(await api.enable(key, { digest: update.digest }))).toBe("409 conflict");
  });

  test("a digest without a verified version is refused in any form: 409, 422", async () => {
    const { key } = await freshConnector(service);
    const answer = await api.enable(key, { settings: GIVEN, digest: "0".repeat(64) });
    expect([outcome(answer), answer.body["reason"]]).toEqual(["409 conflict", "digest_unknown"]);
    const { key: other } = await freshConnector(service, { version: "3.0.0" });
    const { digest } = await api.show(other);
    expect(outcome(await api.enable(key, { settings: GIVEN, digest }))).toBe("409 conflict");
    expect(outcome(await api.enable(key, { digest: "../../etc" }))).toBe("422 validation_failed");
  });
});

describe("signing keys", () => {
  test("a development key's connector is enabled in the sandbox only", async () => {
    const author = newSigner();
    const { keyring } = service.service.connectors;
    await keyring.trust({ publicKey: author.publicKey, name: "Dev", connectors: null, development: true });
    const key = freshKey();
    await api.put(key, signed(key, connectorFiles(key), { by: [author] }));
    expect(await api.show(key)).toMatchObject({ state: "verified", signature: "valid", sandbox_only: true });
    const answer = await api.enable(key);
    expect([outcome(answer), answer.body["reason"]]).toEqual(["409 conflict", "key_not_allowed"]);
    expect((await api.enable(key, { settings: GIVEN }, service.sandboxKey)).status).toBe(200);
  });

  test("an update signed by a development key is not offered in live", async () => {
    const author = newSigner();
    const { keyring } = service.service.connectors;
    await keyring.trust({ publicKey: author.publicKey, name: "Dev", connectors: null, development: true });
    const { key } = await freshConnector(service);
    const enabled = await api.enable(key);
    await api.put(key, signed(key, connectorFiles(key, { version: "1.1.0" }), { by: [author] }));
    expect(await api.show(key)).toMatchObject({
      state: "enabled",
      digest: enabled.body["digest"],
      update: null,
      folder: { status: "verified", version: "1.1.0" },
    });
  });

  test("a refused folder does not stop the pinned version, and shows the reason", async () => {
    const { key } = await freshConnector(service);
    await api.enable(key);
    const { "MANIFEST.sig": _signature, ...unsigned } = signed(key, connectorFiles(key));
    await api.put(key, unsigned);
    expect(await api.show(key)).toMatchObject({
      state: "enabled",
      reason: null,
      folder: { status: "refused", reason: { code: "unsigned" } },
    });
  });

  test("a revoked key stops its connectors and their actions on every node at once", async () => {
    const author = newSigner();
    const { keyring } = service.service.connectors;
    await keyring.trust({ publicKey: author.publicKey, name: "Author", connectors: null, development: false });
    const [alone, twice] = [freshKey(), freshKey()];
    await api.put(alone, signed(alone, connectorFiles(alone), { by: [author] }));
    const next = newSigner();
    await keyring.trust({ publicKey: next.publicKey, name: "Next", connectors: [twice], development: false });
    await api.put(twice, signed(twice, connectorFiles(twice), { by: [next, author] }));
    for (const key of [alone, twice]) expect((await api.enable(key)).status).toBe(200);
    expect(await keyring.revoke(author.keyId)).toMatchObject({ quarantined: 1, revoked_at: expect.any(String) });
    expect(await api.show(alone)).toMatchObject({
      state: "quarantined",
      enabled: false,
      signature: "invalid",
      reason: { code: "key_revoked" },
    });
    expect((await api.contract(alone)).status).toBe(404);
    expect(await api.show(twice)).toMatchObject({ state: "enabled", signature: "valid" });
    expect(outcome(await api.enable(alone, {}))).toBe("409 conflict");
    await service.api("POST", `${PATH}/rescan`);
    expect((await api.show(alone))["folder"]).toMatchObject({ status: "refused", reason: { code: "key_revoked" } });
    // Trusting the key again does not enable the connector: only a person does.
    await keyring.trust({ publicKey: author.publicKey, name: "Author", connectors: null, development: false });
    await service.api("POST", `${PATH}/rescan`);
    expect(await api.show(alone)).toMatchObject({ state: "quarantined" });
    expect((await api.enable(alone, {})).body["state"]).toBe("enabled");
    await expect(keyring.revoke("0".repeat(32))).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("stored files of a verified folder", () => {
  test("files are stored by their hash, readable only by their owner", async () => {
    const { key } = await freshConnector(service);
    const { digest } = await api.show(key);
    const stored = join(DATA, "connectors", "sha256");
    const manifest = await readFile(join(stored, digest.slice(0, 2), digest), "utf8");
    expect(sha256(manifest).toString("hex")).toBe(digest);
    for (const { sha256: hash } of Object.values<Parsed>(JSON.parse(manifest).files))
      expect(sha256(await readFile(join(stored, hash.slice(0, 2), hash))).toString("hex")).toBe(hash);
    const drafts = (await readdir(stored, { recursive: true })).filter((name) => name.includes("."));
    expect(drafts).toEqual([]);
  });

  test("a version whose stored files changed or are missing needs a scan before enabling", async () => {
    const { key } = await freshConnector(service, { description: freshKey() });
    const { digest } = await api.show(key);
    const place = join(DATA, "connectors", "sha256", digest.slice(0, 2), digest);
    await rm(place);
    await writeFile(place, "something else");
    const answer = await api.enable(key);
    expect([outcome(answer), answer.body["reason"]]).toEqual(["409 conflict", "files_missing"]);
    await service.api("POST", `${PATH}/rescan`);
    expect((await api.enable(key)).status).toBe(200);
  });
});

test("concurrent scans of two nodes write one consistent state", async () => {
  const node = await startService({ on: service, env: UNLIMITED });
  const { key } = await freshConnector(service);
  const answers = await Promise.all(
    Array.from({ length: 12 }, async (_, at) => await (at % 2 === 0 ? service : node).api("POST", `${PATH}/rescan`)),
  );
  await node.close();
  expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
  expect(new Set(answers.map(({ body }) => body["verified"])).size).toBe(1);
  expect(await api.show(key)).toMatchObject({ state: "verified" });
});

test("invalid names, and one key in two folders, are listed as refused", async () => {
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
