import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { faultsOf, hasNoBrowser, startConsole } from "../../testing/testing.ts";
import type { TestConsole } from "../../testing/testing.ts";

const TENANT = "acme/1?<b>";

describe.skipIf(hasNoBrowser)("tenants", { timeout: 180_000 }, () => {
  let started: TestConsole;

  const api = async (method: string, path: string, body?: unknown) => await started.service.api(method, path, body);

  beforeAll(async () => {
    started = await startConsole();
    const { body } = await api("PUT", "/v1/inboxes/acme");
    await started.service.endpoint(body["url"], { tenant: TENANT, description: "Theirs" });
    await started.service.endpoint(body["url"], { description: "Ours" });
    for (const tenant of [TENANT, "globex"])
      await api("POST", "/v1/events/fire", { event: "tenants.console", data: {}, tenant });
    await api("POST", "/v1/keys", { name: "Their key", permission_mode: "all", tenant: TENANT });
  });
  afterAll(async () => await started.close());

  test("a tenant's numbers lead to the lists of what it has", async () => {
    const page = await started.open("/tenants");
    await page.getByRole("link", { name: "globex" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("link", { name: TENANT }).click();
    await page.getByRole("heading", { name: TENANT }).waitFor();
    await page.getByText("Completed deliveries").waitFor();
    const address = page.url();
    for (const [path, shown, hidden] of [
      ["endpoints", "Theirs", "Ours"],
      ["events", "tenants.console", "globex"],
      ["keys", "Their key", "live key"],
    ] as const) {
      await page.locator(`a[href*="/${path}?tenant="]`).click();
      await page.waitForURL(`**/${path}?tenant=*`);
      await page.getByText(shown).first().waitFor();
      expect([path, await page.getByRole("table").getByText(hidden, { exact: true }).count()]).toEqual([path, 0]);
      await page.goto(address);
    }
  });

  test("the portal of a tenant opens in a new tab with the chosen capabilities", async () => {
    const page = await started.open(`/tenants/${encodeURIComponent(TENANT)}`);
    await page.getByRole("button", { name: "Preview portal" }).click();
    const dialog = page.getByRole("dialog");
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole("checkbox", { name: "Send tests" }).press("Space");
    const [portal] = await Promise.all([
      page.waitForEvent("popup"),
      dialog.getByRole("button", { name: "Open portal" }).click(),
    ]);
    await portal.getByText("Theirs").waitFor();
    expect(await portal.getByText("Ours", { exact: true }).count()).toBe(0);
    expect(await portal.evaluate("window.opener")).toBeNull();
    await dialog.waitFor({ state: "detached" });
    const { body } = await api("GET", "/v1/portal-sessions?limit=1");
    expect(body["data"]).toMatchObject([
      { tenant: TENANT, capabilities: ["endpoints", "deliveries", "event_types", "tester"], state: "active" },
    ]);
  });

  test("the settings ask for the tenant, and show the link where tabs are blocked", async () => {
    const page = await started.open("/settings");
    await page.evaluate("window.open = () => null");
    await page.getByRole("button", { name: "Preview portal" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Tenant").fill("a b");
    await dialog.getByRole("button", { name: "Open portal" }).click();
    await dialog.getByText("must be visible ASCII characters").waitFor();
    await dialog.getByLabel("Tenant").fill("globex");
    await dialog.getByRole("button", { name: "Open portal" }).click();
    const link = dialog.getByRole("link", { name: "Open the portal" });
    await link.waitFor();
    expect(await link.getAttribute("href")).toMatch(/\/portal\/\?workspace=ws_\w+#token=\w+$/);
    expect(await faultsOf(page)).toEqual([]);
  });

  test("a tenant is deleted by typing its id, and the page shows the progress", async () => {
    const page = await started.open(`/tenants/${encodeURIComponent(TENANT)}`);
    await page.getByRole("button", { name: "Delete tenant" }).click();
    const dialog = page.getByRole("alertdialog");
    await dialog.getByRole("textbox").fill(TENANT);
    await dialog.getByRole("button", { name: "Delete tenant" }).click();
    await page.getByText("Running").waitFor();
    // The logs are emptied a minute after the start.
    await expect
      .poll(async () => {
        const text = "update tenant_deletion set due_at = now() where phase = 'deliveries' returning id";
        return (await started.service.database.query(text)).length;
      })
      .toBe(1);
    await page.getByText("Finished").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect((await api("GET", `/v1/tenants/${encodeURIComponent(TENANT)}`)).body).toMatchObject({
      endpoints: 0,
      keys: 0,
    });
  });
});
