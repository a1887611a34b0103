import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { faultsOf, hasNoBrowser, overflowsSideways, startConsole, tabTo } from "../../testing/testing.ts";
import type { TestConsole } from "../../testing/testing.ts";
import type { Locator } from "playwright-core";

async function placeOf(locator: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await locator.boundingBox();
  if (box === null) throw new Error("it is not shown");
  return box;
}

describe.skipIf(hasNoBrowser)("home", () => {
  let started: TestConsole;

  beforeAll(async () => {
    // The short retry schedule lets deliveries to a missing receiver fail at once.
    started = await startConsole({ env: { JUNCTION_RETRY_LADDER: "50ms,50ms,50ms,50ms,50ms" } });
  });
  afterAll(async () => await started.close());

  test("without problems it says so, and leads to the first steps", async () => {
    const page = await started.open("/");
    await page.getByRole("heading", { name: "You're all caught up" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("link", { name: "Fire first event" }).click();
    await page.getByRole("heading", { name: "Getting started" }).waitFor();
  });

  test("the page shows a passed self-test, then the failed step with a link", async () => {
    started.service.service.selfTest.start();
    const page = await started.open("/");
    await expect
      .poll(async () => {
        await page.reload();
        await page.getByRole("heading", { name: "You're all caught up" }).waitFor();
        return await page.getByText(/Self-test passed .*: an event was accepted, delivered and verified in/).count();
      })
      .toBe(1);
    expect(await faultsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    const text = await placeOf(page.getByText(/^Self-test passed/));
    const icon = await placeOf(page.locator("p:has-text('Self-test passed') > svg"));
    expect(icon.x + icon.width).toBeLessThan(text.x);
    expect(Math.abs(icon.y - text.y)).toBeLessThan(10);

    const broken = await startConsole({});
    await broken.service.database.query(
      `create function spoil() returns trigger language plpgsql as $$ begin return null; end $$;
       create trigger spoil before insert on inbox_message for each row execute function spoil()`,
    );
    broken.service.service.selfTest.start();
    const other = await broken.open("/");
    const failure = other.getByRole("heading", { name: "Self-test failed at the step “verified”" });
    await expect
      .poll(async () => {
        await other.reload();
        await other.getByRole("heading", { name: "Home" }).waitFor();
        await other.getByText("Over time").waitFor();
        return await failure.count();
      })
      .toBe(1);
    await other.getByText("The inbox does not have the delivery.").waitFor();
    expect(await other.getByRole("heading", { name: "You're all caught up" }).count()).toBe(0);
    expect(await faultsOf(other)).toEqual([]);
    const guide = other.getByRole("link", { name: "View runbook" });
    const answer = await other.request.get((await guide.getAttribute("href")) ?? "");
    expect([answer.status(), (await answer.text()).includes('id="junctionselftestfailed"')]).toEqual([200, true]);
    await other.setViewportSize({ width: 320, height: 640 });
    expect(await overflowsSideways(other)).toBe(false);
    await broken.close();
  });

  test("failures appear by name as they happen; plots are readable by keyboard and table", async () => {
    const page = await started.open("/");
    await page.getByRole("heading", { name: "You're all caught up" }).waitFor();
    // No program listens on this port.
    await started.service.endpoint("http://127.0.0.1:9/hook");
    await started.service.fire();
    await page.getByText("1 endpoint is failing").waitFor();
    await page.getByRole("link", { name: "127.0.0.1:9/hook" }).waitFor();
    await page.getByText("1 delivery failed").waitFor();
    expect(await faultsOf(page)).toEqual([]);

    const plot = page.getByRole("slider", { name: "Volume" });
    const empty = page.getByRole("heading", { name: "No activity in this period" });
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
    await page.getByRole("table", { name: "Delivery latency" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await overflowsSideways(page)).toBe(false);
    await page.setViewportSize({ width: 1280, height: 900 });
    await tabTo(page, /1 delivery failed/, "link");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/deliveries?state=failed");
  });
});
