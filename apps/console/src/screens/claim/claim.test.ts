import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { faultsOf, hasNoBrowser, startConsole } from "../../testing/testing.ts";
import type { TestConsole } from "../../testing/testing.ts";

describe.skipIf(hasNoBrowser)("the one-time link", () => {
  let started: TestConsole;

  beforeAll(async () => {
    started = await startConsole();
    // As a first start without bootstrap leaves the workspace.
    await started.service.database.query("update api_key set member_id = null");
    await started.service.database.query("delete from member");
    await started.service.database.query("delete from person");
  });
  afterAll(async () => await started.close());

  test("claims the installation by keyboard alone, shows the live key once, and leads to the first steps", async () => {
    const token = (await started.service.service.workspaces.newSetupToken()) ?? "";
    const page = await started.open(`/setup?token=${token}`, { as: null });
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.type("Ines Costa");
    await page.keyboard.press("Tab");
    await page.keyboard.type("ines@example.com");
    await page.keyboard.press("Tab");
    await page.keyboard.type("a long enough password");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "It is yours" }).waitFor();
    const key = await page.getByLabel("API key", { exact: true }).innerText();
    expect(key).toMatch(/^jn_live_/);
    expect(await faultsOf(page)).toEqual([]);
    expect((await started.service.api("GET", "/v1/keys", undefined, { key })).status).toBe(200);
    await page.getByRole("link", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "Getting started" }).waitFor();

    const again = await started.open(`/setup?token=${token}`, { as: null });
    await again.getByLabel("Your name").fill("Eve");
    await again.getByLabel("E-mail").fill("eve@example.com");
    await again.getByLabel("Password").fill("a long enough password");
    await again.getByRole("button", { name: "Claim and sign in" }).click();
    await again.getByText("This link was used already").waitFor();
    expect(await faultsOf(again)).toEqual([]);
  });
});
