import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  connectorApi,
  connectorFiles,
  freshConnector,
  GIVEN,
  signed,
} from "../../../../service/src/testing/connectors.ts";
import { faultsOf, hasNoBrowser, startConsole } from "../../testing/testing.ts";
import type { TestConsole } from "../../testing/testing.ts";

describe.skipIf(hasNoBrowser)("connectors of two environments", { timeout: 120_000 }, () => {
  let started: TestConsole;

  beforeAll(async () => {
    started = await startConsole();
  });
  afterAll(async () => await started.close());

  const drop = async (key: string, version: string): Promise<void> => {
    const files = connectorFiles(key, { version, events: ["order.paid"] });
    await connectorApi(started.service).put(key, signed(key, files));
  };

  test("a person sets up a version for the sandbox alone, and removes it", async () => {
    const { service } = started;
    const api = connectorApi(service);
    const { key } = await freshConnector(service);
    await api.enable(key);
    await drop(key, "1.1.0");
    const page = await started.open(`/connectors/${key}`, { environment: "sandbox" });
    await page.getByText("Live and sandbox").first().waitFor();
    // The live installation cannot be changed here.
    expect(await page.getByRole("button", { name: "Disable connector" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "Save settings" }).count()).toBe(0);
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Set up for the sandbox" }).click();
    await page.getByRole("textbox", { name: "Address" }).fill(GIVEN.base_url);
    await page.getByLabel("api_key").fill("the key of the sandbox");
    await page.getByRole("button", { name: "Enable connector" }).click();
    await page.getByText("Acme enabled.").waitFor();
    await page.getByText("Sandbox only").first().waitFor();
    expect(await api.show(key)).toMatchObject({ version: "1.0.0", acts_in: ["live"] });
    expect(await api.show(key, service.sandboxKey)).toMatchObject({ version: "1.1.0", installed_in: "sandbox" });
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Remove from the sandbox" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Remove connector" }).click();
    await page.getByText("Connector removed from the sandbox.").waitFor();
    await page.getByText("Live and sandbox").first().waitFor();
  });

  test("the sandbox's version shows its difference and is promoted with missing settings", async () => {
    const { service } = started;
    const api = connectorApi(service);
    const { key } = await freshConnector(service);
    await api.enable(key);
    await drop(key, "1.1.0");
    await api.enable(key, { settings: GIVEN }, service.sandboxKey);
    const page = await started.open(`/connectors/${key}`);
    await page.getByText("Live only").first().waitFor();
    await page.getByText("In the sandbox", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Promote to live" }).click();
    const dialog = page.getByRole("dialog", { name: "Promote connector to live" });
    await dialog.getByText("Version 1.0.0 of live will be replaced by 1.1.0.").waitFor();
    await dialog.getByText("order.paid").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Promote connector" }).click();
    await page.getByText("Version 1.1.0 was promoted to live.").waitFor();
    expect(await api.show(key)).toMatchObject({ version: "1.1.0", installed_in: "live" });

    const { key: other } = await freshConnector(service, { events: [] });
    await api.enable(other, { settings: GIVEN }, service.sandboxKey);
    const second = await started.open(`/connectors/${other}`);
    await second.getByRole("button", { name: "Promote to live" }).click();
    const asking = second.getByRole("dialog", { name: "Promote connector to live" });
    await asking.getByText("Live does not have this connector.").waitFor();
    await asking.getByRole("textbox", { name: "Address" }).fill(GIVEN.base_url);
    await asking.getByLabel("api_key").fill("the key of live");
    expect(await faultsOf(second)).toEqual([]);
    await asking.getByRole("button", { name: "Promote connector" }).click();
    await second.getByText("Version 1.0.0 was promoted to live.").waitFor();
    expect(await api.show(other)).toMatchObject({ state: "enabled", secrets: { api_key: "set" } });
  });
});
