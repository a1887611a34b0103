import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { faultsOf, hasNoBrowser, overflowsSideways, startConsole, tabTo } from "../../testing/testing.ts";
import type { TestConsole } from "../../testing/testing.ts";

describe.skipIf(hasNoBrowser)("home", () => {
  let started: TestConsole;

  beforeAll(async () => {
    // The ladder of a receiver that is not there is over at once.
    started = await startConsole({ env: { JUNCTION_RETRY_LADDER: "50ms,50ms,50ms,50ms,50ms" } });
  });
  afterAll(async () => await started.close());

  test("with nothing to see to it says so, and leads to the first steps", async () => {
    const page = await started.open("/");
    await page.getByRole("heading", { name: "Nothing needs you" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("link", { name: "Fire the first event" }).click();
    await page.getByRole("heading", { name: "Getting started" }).waitFor();
  });

  test("what fails is told by name as it happens, and leads to where it is put right; plots are read by keyboard and as a table", async () => {
    const page = await started.open("/");
    await page.getByRole("heading", { name: "Nothing needs you" }).waitFor();
    // Nobody listens on this port.
    await started.service.endpoint("http://127.0.0.1:9/hook");
    await started.service.fire();
    await page.getByText("1 endpoint fails").waitFor();
    await page.getByRole("link", { name: "http://127.0.0.1:9/hook" }).waitFor();
    await page.getByText("1 delivery is parked").waitFor();
    expect(await faultsOf(page)).toEqual([]);

    const plot = page.getByRole("slider", { name: "What came in" });
    const empty = page.getByRole("heading", { name: "Nothing happened in this time" });
    // Counts are written every few seconds, and the charts load after the heading.
    await expect
      .poll(async () => {
        await page.reload();
        await plot.or(empty).waitFor();
        return await plot.count();
      })
      .toBe(1);
    await plot.focus();
    await page.keyboard.press("Home");
    const first = await plot.getAttribute("aria-valuetext");
    await page.keyboard.press("End");
    expect(await plot.getAttribute("aria-valuetext")).not.toBe(first);
    await page.getByRole("button", { name: "View as table" }).first().click();
    await page.getByRole("table", { name: "Accept to acknowledgement" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await overflowsSideways(page)).toBe(false);
    await page.setViewportSize({ width: 1280, height: 900 });
    await tabTo(page, /1 delivery is parked/, "link");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/deliveries?state=failed");
  });
});
