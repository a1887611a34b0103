import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { faultsOf, hasNoBrowser, startConsole } from "../../testing/testing.ts";
import type { TestConsole } from "../../testing/testing.ts";

describe.skipIf(hasNoBrowser)("promotion", { timeout: 90_000 }, () => {
  let started: TestConsole;

  beforeAll(async () => {
    started = await startConsole();
  });
  afterAll(async () => await started.close());

  test("by keyboard: a sandbox rule shows its difference and is promoted to live", async () => {
    const { service } = started;
    const body = { name: "Tried in the sandbox", on: ["order.created"], then: [{ type: "add_tag", tag: "tried" }] };
    const own = (await service.api("POST", "/v1/rules", body, { key: service.sandboxKey })).body["id"];
    const page = await started.open("/rules?environment=sandbox");
    await page.getByText("Sandbox only").first().waitFor();
    await page.getByRole("link", { name: body.name }).click();
    await page.getByRole("button", { name: "Promote to live" }).press("Enter");
    const dialog = page.getByRole("dialog", { name: "Promote rule to live" });
    await dialog.getByText("It will be created.").waitFor();
    await dialog.getByText("/name").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Promote rule" }).press("Enter");
    await page.getByText("The rule was promoted to live.").waitFor();
    const { promotes_to: live } = (await service.api("GET", `/v1/rules/${own}`)).body;
    expect((await service.api("GET", `/v1/rules/${String(live)}`)).body).toMatchObject({
      name: body.name,
      environment: "live",
    });
  });
});
