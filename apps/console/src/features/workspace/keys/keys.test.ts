import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { faultsOf, hasNoBrowser, overflowsSideways, startConsole, tabTo } from "../../../testing/testing.ts";
import type { TestConsole } from "../../../testing/testing.ts";

describe.skipIf(hasNoBrowser)("API keys", () => {
  let started: TestConsole;

  beforeAll(async () => {
    started = await startConsole();
  });
  afterAll(async () => await started.close());

  test("a restricted key is created by keyboard with a live preview of its permissions", async () => {
    const page = await started.open("/keys");
    expect(await faultsOf(page)).toEqual([]);
    await tabTo(page, "Create key");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    const told = page.getByRole("region", { name: "Permissions of this key" }).getByRole("status");
    await expect.poll(async () => await told.innerText()).toMatch(/^[1-9]/);
    const before = await told.innerText();
    await page.keyboard.type("Checkout");
    await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Tab");
    await page.keyboard.type("events.*");
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press("Enter");
    // The suggestions for the next one: closing them leaves the dialog.
    await page.keyboard.press("Escape");
    await page.getByRole("row", { name: "events.*" }).waitFor();
    expect(await told.innerText()).not.toBe(before);
    await page.getByLabel("Find operation").fill("events.fire");
    await page.getByText("not allowed").first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await tabTo(page, "Create live key");
    await page.keyboard.press("Enter");
    const key = await page.getByLabel("API key", { exact: true }).innerText();
    expect(await faultsOf(page)).toEqual([]);
    const fired = await started.service.api("POST", "/v1/events/fire", { event: "a.b", data: {} }, { key });
    expect([fired.status, fired.body["code"]]).toEqual([403, "action_blocked"]);
    await page.getByRole("button", { name: "I have copied the key" }).click();
    await page.getByRole("link", { name: "Checkout" }).waitFor();
    expect(await page.content()).not.toContain(key);
  });

  test("a key's permissions are tested, the key is rolled, and revoked by its name", async () => {
    const page = await started.open("/keys");
    await page.getByRole("link", { name: "Checkout" }).click();
    await page.getByRole("heading", { name: "Checkout" }).waitFor();
    await page.getByRole("button", { name: "Test permissions" }).click();
    await page.getByText("Denied: action_blocked").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await overflowsSideways(page)).toBe(false);
    await page.setViewportSize({ width: 1280, height: 900 });

    await page.getByRole("button", { name: "Roll", exact: true }).click();
    await page.getByRole("dialog").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Roll key" }).click();
    const next = await page.getByLabel("API key", { exact: true }).innerText();
    await page.getByRole("link", { name: "I have copied the key" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });

    await page.getByRole("button", { name: "Revoke", exact: true }).click();
    const revoke = page.getByRole("button", { name: "Revoke key" });
    await expect.poll(async () => await revoke.isDisabled()).toBe(true);
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.type("Checkout");
    await page.keyboard.press("Tab");
    await revoke.click();
    await page.getByText("Key revoked.").waitFor();
    const after = await started.service.api("GET", "/v1/me", undefined, { key: next });
    expect(after.body["code"]).toBe("key_revoked");
  });

  test("a call is shown as curl and for each SDK, without a key", async () => {
    const page = await started.open("/keys");
    await page.getByRole("button", { name: "Show code" }).click();
    await page.getByText("Authorization: Bearer $JUNCTION_API_KEY").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("tab", { name: "PHP" }).click();
    await page.getByText("$junction->keys->list()").waitFor();
  });

  test("a failure shows its request id and can be tried again", async () => {
    const page = await started.open("/members");
    const problem = {
      type: "x",
      title: "Something went wrong on our side.",
      status: 500,
      code: "internal_error",
      request_id: "req_1",
      retryable: false,
    };
    await page.route("**/v1/keys?*", async (route) => {
      await route.fulfill({
        status: 500,
        contentType: "application/problem+json",
        headers: { "X-Service-Request-Id": "req_abc" },
        json: problem,
      });
    });
    await page.getByRole("link", { name: "API keys" }).click();
    await page.getByRole("alert").getByText("req_abc").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.unroute("**/v1/keys?*");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("table", { name: "API keys" }).waitFor();
  });
});
