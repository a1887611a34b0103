import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshConnector } from "../../../../service/src/testing/connectors.ts";
import { joined } from "../../../../service/src/testing/people.ts";
import { faultsOf, hasNoBrowser, overflowsSideways, startConsole, tabTo } from "../../testing/testing.ts";
import type { TestConsole } from "../../testing/testing.ts";

describe.skipIf(hasNoBrowser)("connectors", () => {
  let started: TestConsole;

  const shown = async (key: string): Promise<Record<string, unknown>> =>
    (await started.service.api("GET", `/v1/connectors/${key}`)).body;

  beforeAll(async () => {
    started = await startConsole();
  });
  afterAll(async () => await started.close());

  test("by mouse: a connector is found, configured by its form, tested, called, and disabled", async () => {
    const page = await started.open("/connectors");
    await page.getByText("No connectors yet").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    const { key } = await freshConnector(started.service);
    await page.getByRole("button", { name: "Scan folders" }).first().click();
    await page.getByText("1 folder verified, 0 refused.").waitFor();
    const row = page.getByRole("row").filter({ hasText: key });
    await row.getByText("Verified").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await row.getByRole("link").click();
    await page.getByRole("textbox", { name: "Address" }).fill("no address");
    await page.getByLabel("api_key").fill("a planted key of Acme");
    expect(await page.getByLabel("api_key").getAttribute("type")).toBe("password");
    await page.getByRole("button", { name: "Enable connector" }).click();
    await expect
      .poll(async () => await page.getByRole("textbox", { name: "Address" }).getAttribute("aria-invalid"))
      .toBe("true");
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("textbox", { name: "Address" }).fill("http://127.0.0.1:9/api");
    await page.getByRole("button", { name: /region/ }).click();
    await page.getByRole("option", { name: "us" }).click();
    await page.getByText("verbose").click();
    await page.getByRole("button", { name: "Enable connector" }).click();
    await page.getByText("Acme enabled.").waitFor();
    expect(await shown(key)).toMatchObject({
      enabled: true,
      settings: { base_url: "http://127.0.0.1:9/api", region: "us", verbose: true },
      secrets: { api_key: "set" },
    });
    expect(await page.content()).not.toContain("a planted key of Acme");
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await page.getByRole("main").getByText("Connected", { exact: true }).waitFor();
    expect(await faultsOf(page)).toEqual([]);

    await started.service.fire("order.created", { total: 3 });
    await started.service.until(`/v1/connectors/${key}/runs?hook=subscriber`, ({ data }) => data.length > 0);
    await page.getByRole("tab", { name: "Run log" }).click();
    await page.getByRole("button", { name: /^Details of subscriber/ }).click();
    await page.getByRole("dialog", { name: /^Subscriber/ }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Disable connector" }).click();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("alertdialog").getByRole("button", { name: "Disable connector" }).click();
    await page.getByText("Connector disabled. Its settings are kept.").waitFor();
    expect(await shown(key)).toMatchObject({ enabled: false, state: "disabled" });
  });

  test("by keyboard alone: it is set up and enabled", async () => {
    const { key } = await freshConnector(started.service, { events: [] });
    const page = await started.open(`/connectors/${key}`);
    await tabTo(page, "Address", "textbox");
    await page.keyboard.type("http://127.0.0.1:9/api");
    await page.keyboard.press("Tab");
    await page.keyboard.type("a very secret key");
    await tabTo(page, /region/);
    await page.keyboard.press("ArrowDown");
    await page.getByRole("option", { name: "us" }).waitFor();
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await tabTo(page, "Enable connector");
    await page.keyboard.press("Enter");
    await page.getByText("Acme enabled.").waitFor();
    expect(await shown(key)).toMatchObject({ enabled: true, settings: { region: "us" } });
  });

  test("who may not change it sees it all the same, also at 320 px", async () => {
    const { key } = await freshConnector(started.service, { events: [] });
    const { email, password } = await joined(started.service, "viewer");
    const page = await started.open(`/connectors/${key}`, { as: { email, password }, width: 320, height: 640 });
    await expect.poll(async () => await page.getByRole("button", { name: "Enable connector" }).isDisabled()).toBe(true);
    expect(await overflowsSideways(page)).toBe(false);
    expect(await faultsOf(page)).toEqual([]);
  });
});
