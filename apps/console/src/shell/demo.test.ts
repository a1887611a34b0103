import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seedDemo } from "../../../cli/src/demo/demo.ts";
import { Junction } from "../../../../sdks/node/src/index.ts";
import { faultsOf, hasNoBrowser, overflowsSideways, startConsole, tabTo } from "../testing/testing.ts";
import type { TestConsole } from "../testing/testing.ts";

describe.skipIf(hasNoBrowser)("demo data", () => {
  let started: TestConsole;

  beforeAll(async () => {
    started = await startConsole();
  });
  afterAll(async () => await started.close());

  test("is labeled, is deleted by keyboard after a preview, and leaves other data alone", async () => {
    const { service } = started;
    const junction = new Junction({ apiKey: service.sandboxKey, baseUrl: service.baseUrl });
    const mine = await junction.webhookEndpoints.create({ url: "http://127.0.0.1:9/mine", events: ["acme.mine"] });
    await seedDemo(junction);

    const page = await started.open("/account", { environment: "sandbox" });
    const banner = page.getByRole("complementary", { name: "Demo data" });
    await banner.getByText("This is demo data.").waitFor();
    expect(await banner.getByRole("link", { name: "Getting started" }).getAttribute("href")).toBe("/start");
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await overflowsSideways(page)).toBe(false);
    await tabTo(page, "Delete demo data");
    await page.keyboard.press("Enter");
    const asked = page.getByRole("alertdialog");
    for (const part of ["8 endpoints", "1 rule", "1 source", "5 contacts", "3 pending proposals", "2 actions"])
      await asked.getByText(part, { exact: true }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await tabTo(page, "Delete demo data", "button", asked);
    await page.keyboard.press("Enter");
    await page.getByText("Demo data deleted.").waitFor();
    await expect.poll(async () => await banner.count()).toBe(0);
    const looked = page.waitForResponse("**/v1/inboxes?*");
    await page.reload();
    await (await looked).finished();
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(await banner.count()).toBe(0);

    const list = async (path: string): Promise<unknown> =>
      (await service.api("GET", path, undefined, { key: service.sandboxKey })).body.data;
    expect(await list("/v1/webhook-endpoints")).toMatchObject([{ id: mine.id }]);
    for (const path of ["/v1/contacts", "/v1/inbound-endpoints", "/v1/rules", "/v1/inboxes", "/v1/action-contracts"])
      expect([path, await list(path)]).toEqual([path, []]);
    expect(await list("/v1/proposals?state=proposed")).toEqual([]);
  });
});
