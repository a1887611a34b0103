import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { faultsOf, hasNoBrowser, overflowsSideways, startConsole, tabTo } from "../../testing/testing.ts";
import type { TestConsole } from "../../testing/testing.ts";

describe.skipIf(hasNoBrowser)("getting started", () => {
  let started: TestConsole;

  beforeAll(async () => {
    started = await startConsole();
  });
  afterAll(async () => await started.close());

  test("the first steps tick themselves off as they happen, by keyboard alone", async () => {
    const page = await started.open("/start", { environment: "sandbox" });
    await page.getByText("0 of 5").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await tabTo(page, "Fire it");
    await page.keyboard.press("Enter");
    await page.getByText("1 of 5").waitFor();
    await tabTo(page, "Connect an inbox and fire");
    await page.keyboard.press("Enter");
    await page.getByText("2 of 5").waitFor();
    await page.getByRole("heading", { name: /See it delivered.*done/ }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await overflowsSideways(page)).toBe(false);
  });
});
