import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seedDemo } from "../../../../cli/src/demo/demo.ts";
import { Junction } from "../../../../../sdks/node/src/index.ts";
import { faultsOf, hasNoBrowser, startConsole } from "../../testing/testing.ts";
import type { TestConsole } from "../../testing/testing.ts";

/** Leaves the workspace as a first start without bootstrap does. */
async function removeOwner({ service }: TestConsole): Promise<void> {
  await service.database.query("update api_key set member_id = null");
  await service.database.query("delete from member");
  await service.database.query("delete from person");
}

describe.skipIf(hasNoBrowser)("the one-time link", () => {
  let started: TestConsole;

  beforeAll(async () => {
    started = await startConsole();
    await removeOwner(started);
  });
  afterAll(async () => await started.close());

  test("claims by keyboard, shows the live key once, and leads to the first steps", async () => {
    const token = (await started.service.service.workspaces.newSetupToken()) ?? "";
    const page = await started.open(`/setup?token=${token}`, { as: null });
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.type("Ines Costa");
    await page.keyboard.press("Tab");
    await page.keyboard.type("ines@example.com");
    await page.keyboard.press("Tab");
    await page.keyboard.type("a long enough password");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Installation claimed" }).waitFor();
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
    await again.getByText("This link was already used").waitFor();
    expect(await faultsOf(again)).toEqual([]);
  });
});

describe.skipIf(hasNoBrowser)("the one-time link of a start with demo data", () => {
  let started: TestConsole;

  beforeAll(async () => {
    started = await startConsole();
    await seedDemo(new Junction({ apiKey: started.service.sandboxKey, baseUrl: started.service.baseUrl }));
    await removeOwner(started);
  });
  afterAll(async () => await started.close());

  test("leads into the sandbox, where the demo data is", async () => {
    const token = (await started.service.service.workspaces.newSetupToken()) ?? "";
    const page = await started.open(`/setup?token=${token}`, { as: null });
    await page.getByLabel("Your name").fill("Ines Costa");
    await page.getByLabel("E-mail").fill("ines@example.com");
    await page.getByLabel("Password").fill("a long enough password");
    await page.getByRole("button", { name: "Claim and sign in" }).click();
    await page.getByText("The console opens in the sandbox, which has demo data.").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("link", { name: "Explore the demo data" }).click();
    await page.getByRole("complementary", { name: "Demo data" }).getByText("This is demo data.").waitFor();
    await page.getByRole("note", { name: "You are viewing the sandbox" }).waitFor();
    await page.goto("/endpoints");
    await page.getByText("Demo: ").first().waitFor();
    await page.getByRole("radio", { name: "Live" }).click();
    await expect.poll(async () => await page.getByRole("complementary", { name: "Demo data" }).count()).toBe(0);
  });
});
