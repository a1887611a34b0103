import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { faultsOf, hasNoBrowser, overflowsSideways, startConsole } from "../../testing/testing.ts";
import type { TestConsole } from "../../testing/testing.ts";

describe.skipIf(hasNoBrowser)("pull endpoints", { timeout: 180_000 }, () => {
  let started: TestConsole;

  const api = async (method: string, path: string, body?: unknown) => await started.service.api(method, path, body);

  beforeAll(async () => {
    started = await startConsole();
  });
  afterAll(async () => await started.close());

  test("a pull endpoint is created without a URL", async () => {
    const page = await started.open("/endpoints");
    await page.getByRole("button", { name: "Create endpoint" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Create endpoint" });
    await dialog.getByRole("radio", { name: /^Pull/ }).check({ force: true });
    await expect.poll(async () => await dialog.getByLabel("URL").count()).toBe(0);
    await dialog.getByLabel("Description").fill("Billing");
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Create endpoint" }).click();
    await page
      .getByRole("dialog", { name: "Endpoint created" })
      .getByText(/^whsec_/)
      .waitFor();
    const { body } = await api("GET", "/v1/webhook-endpoints");
    expect(body["data"]).toMatchObject([{ kind: "pull", url: null, description: "Billing" }]);
  });

  test("the consumers of an endpoint are shown, moved and deleted", async () => {
    const made = await api("POST", "/v1/webhook-endpoints", { kind: "pull", events: ["console.pulled"] });
    const path = `/v1/webhook-endpoints/${String(made.body["id"])}`;
    for (let n = 1; n <= 3; n += 1) await started.service.fire("console.pulled", { n });
    const { body } = await api("POST", `${path}/pull`, { consumer: "billing", limit: 2 });
    await api("POST", `${path}/commit`, { consumer: "billing", lease_id: body["lease"]["id"] });
    const page = await started.open(`/endpoints/${String(made.body["id"])}?tab=consumers`);
    const row = page.getByRole("row").filter({ hasText: "billing" });
    await row.getByRole("cell", { name: "1", exact: true }).waitFor();
    expect(await page.getByRole("tab", { name: "Test" }).count()).toBe(0);
    expect([await faultsOf(page), await overflowsSideways(page)]).toEqual([[], false]);
    const act = async (name: string): Promise<void> => {
      await page.getByRole("button", { name: "Actions for billing" }).click();
      await page.getByRole("menuitem", { name }).click();
    };
    await act("Move consumer");
    const dialog = page.getByRole("dialog", { name: "Move billing" });
    await dialog.getByRole("radio", { name: /^Offset/ }).check({ force: true });
    await dialog.getByRole("textbox", { name: "Offset" }).fill("99");
    await dialog.getByRole("button", { name: "Move consumer" }).click();
    await dialog.getByText(/at most 4/).waitFor();
    await dialog.getByRole("radio", { name: /^Oldest message/ }).check({ force: true });
    await dialog.getByRole("button", { name: "Move consumer" }).click();
    await row.getByRole("cell", { name: "3", exact: true }).waitFor();
    await act("Delete consumer");
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete consumer" }).click();
    await page.getByText("No consumers yet").waitFor();
    expect((await api("GET", `${path}/consumers`)).body["data"]).toEqual([]);
  });
});
