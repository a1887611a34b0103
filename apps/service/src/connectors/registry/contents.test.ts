import { describe, expect, test } from "vitest";
import { actionOf, connectorFiles, signed, signer } from "../../testing/connectors.ts";
import type { Files } from "../../testing/connectors.ts";
import { readPackage } from "./package.ts";
import { ConnectorRefusedError } from "./version-refusal.ts";
import { compareVersions } from "./semver.ts";
import { keyOfEnvironment } from "./trusted.ts";

const TRUST = new Map([[signer.keyId, keyOfEnvironment(signer.publicKey)]]);

function refused(files: Files, name = "acme"): string {
  const bytes = new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));
  try {
    readPackage(name, bytes, TRUST);
  } catch (error) {
    if (error instanceof ConnectorRefusedError) return error.reason.code;
    throw error;
  }
  return "taken";
}

describe("contents of the files", () => {
  test.each<[string, (files: Files) => Files, string]>([
    ["no class", (files) => ({ ...files, "connector.ts": "export const nothing = 1;" }), "class_missing"],
    [
      "the class of the other language",
      (files) => ({ ...files, "connector.php": "<?php class A extends AbstractConnector {}" }),
      "class_ambiguous",
    ],
    ["no code", ({ "connector.ts": _code, ...files }) => files, "class_missing"],
    ["no actions.json", ({ "actions.json": _actions, ...files }) => files, "file_missing"],
    ["actions that are no list", (files) => ({ ...files, "actions.json": "{}" }), "actions_malformed"],
    [
      "an action of another namespace",
      (files) => ({ ...files, "actions.json": JSON.stringify([actionOf("other")]) }),
      "actions_malformed",
    ],
    [
      "an action twice",
      (files) => ({ ...files, "actions.json": JSON.stringify([actionOf("acme"), actionOf("acme")]) }),
      "actions_malformed",
    ],
    [
      "an action at an undeclared host",
      (files) => ({
        ...files,
        "actions.json": JSON.stringify([actionOf("acme", { endpoint: "https://evil.example/" })]),
      }),
      "actions_malformed",
    ],
    [
      "an action that takes another's secret",
      (files) => ({
        ...files,
        "actions.json": JSON.stringify([actionOf("acme", { auth: { type: "bearer", secret_ref: "billing_token" } })]),
      }),
      "actions_malformed",
    ],
    [
      "an action that approves itself",
      (files) => ({
        ...files,
        "actions.json": JSON.stringify([actionOf("acme", { approval: { allow_rule: ["Mine"] } })]),
      }),
      "actions_malformed",
    ],
    [
      "an action that a registration would refuse",
      (files) => ({ ...files, "actions.json": JSON.stringify([actionOf("acme", { destructive: true })]) }),
      "actions_malformed",
    ],
    ["settings of no form", (files) => ({ ...files, "settings.json": '{"type":"object"}' }), "settings_malformed"],
    [
      "a setting of an unknown type",
      (files) => ({ ...files, "settings.json": '{"type":"object","properties":{"a":{"type":"array"}}}' }),
      "settings_malformed",
    ],
    [
      "a secret with a default",
      (files) => ({
        ...files,
        "settings.json": '{"type":"object","properties":{"a":{"type":"string","writeOnly":true,"default":"x"}}}',
      }),
      "settings_malformed",
    ],
    [
      "a required setting that is none",
      (files) => ({ ...files, "settings.json": '{"type":"object","properties":{},"required":["a"]}' }),
      "settings_malformed",
    ],
    [
      "a host that is none",
      (files) => ({
        ...files,
        "connector.json": connectorFiles("acme", { egress: ["https://x"] })["connector.json"] ?? "",
      }),
      "connector_malformed",
    ],
    [
      "a host of a setting that is none",
      (files) => ({
        ...files,
        "connector.json": connectorFiles("acme", { egress: ["settings.api_key"] })["connector.json"] ?? "",
      }),
      "connector_malformed",
    ],
    [
      "an event's name that is none",
      (files) => ({ ...files, "connector.json": connectorFiles("acme", { events: ["a..b"] })["connector.json"] ?? "" }),
      "connector_malformed",
    ],
    [
      "a wildcard to fire",
      (files) => ({ ...files, "connector.json": connectorFiles("acme", { fires: ["*"] })["connector.json"] ?? "" }),
      "connector_malformed",
    ],
    [
      "an unknown member",
      (files) => ({ ...files, "connector.json": connectorFiles("acme", { root: true })["connector.json"] ?? "" }),
      "connector_malformed",
    ],
  ])("%s is refused", (_name, change, code) => {
    expect(refused(signed("acme", change(connectorFiles("acme"))))).toBe(code);
  });

  test("different versions, and a folder whose name is not a valid key, are refused", () => {
    const files = connectorFiles("acme");
    expect(refused(signed("acme", files))).toBe("taken");
    expect(refused(signed("acme", files, { change: { version: "2.0.0" } }))).toBe("version_mismatch");
    expect(refused(signed("acme", files), "Acme_1")).toBe("connector_key_malformed");
  });
});

test("versions are ordered according to Semantic Versioning", () => {
  const ordered = [
    "0.9.0",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "1.0.1",
    "1.2.0",
    "1.10.0",
    "2.0.0",
  ];
  expect(ordered.toReversed().toSorted(compareVersions)).toEqual(ordered);
});
