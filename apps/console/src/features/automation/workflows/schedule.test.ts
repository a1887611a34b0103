import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startReceiver } from "../../../../../service/src/testing/receiver.ts";
import type { Receiver } from "../../../../../service/src/testing/receiver.ts";
import { faultsOf, hasNoBrowser, startConsole } from "../../../testing/testing.ts";
import type { TestConsole } from "../../../testing/testing.ts";

describe.skipIf(hasNoBrowser)("a workflow with a schedule", () => {
  let started: TestConsole;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await startReceiver();
    started = await startConsole();
  });
  afterAll(async () => {
    await started.close();
    await receiver.close();
  });

  test("is created in the form, shows its next times, and is edited", async () => {
    const page = await started.open("/workflows/new");
    await page.getByLabel("Name", { exact: true }).fill("Daily report");
    await page
      .getByRole("group", { name: "Started by" })
      .or(page.getByRole("radiogroup", { name: "Started by" }))
      .waitFor();
    await page.getByRole("radio", { name: "Schedule" }).click();
    await page.getByText("Without conditions, a run starts each time.").waitFor();
    const cron = page.getByRole("textbox", { name: "Cron" });
    await cron.fill("61 * * * *");
    await page.getByRole("combobox", { name: "Time zone" }).fill("Europe/Berlin");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /Missed times/ }).click();
    await page.getByRole("option", { name: "Start one run for all of them" }).click();
    await page.getByRole("textbox", { name: "URL", exact: true }).fill(receiver.url);
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Create workflow" }).click();
    await page.getByRole("alert").first().waitFor();
    expect(await cron.getAttribute("aria-invalid")).toBe("true");
    await cron.fill("30 8 * * MON-FRI");
    await page.getByRole("button", { name: "Create workflow" }).click();
    await page.getByRole("link", { name: "Open workflow" }).click();
    const [made] = (await started.service.api("GET", "/v1/workflows")).body.data;
    expect(made.trigger).toEqual({
      schedule: { cron: "30 8 * * MON-FRI", time_zone: "Europe/Berlin", missed: "once" },
    });

    await page.getByRole("tab", { name: "Schedule" }).click();
    await page
      .getByRole("cell", { name: /T08:30:00\+0[12]:00$/ })
      .nth(4)
      .waitFor();
    await page.getByText("Start one run for all of them").waitFor();
    expect(await faultsOf(page)).toEqual([]);

    // An edit from an event back to the schedule loses nothing.
    await page.getByRole("tab", { name: "Definition" }).click();
    await page.getByRole("radio", { name: "Event", exact: true }).click();
    await page.getByRole("combobox", { name: "Event type" }).waitFor();
    await page.getByRole("radio", { name: "Schedule" }).click();
    await page.getByRole("textbox", { name: "Cron" }).fill("0 8 * * MON-FRI");
    await page.getByRole("button", { name: "Save workflow" }).click();
    await page.getByText("Workflow saved.").waitFor();
    const { trigger } = (await started.service.api("GET", `/v1/workflows/${made.id}`)).body;
    expect(trigger.schedule).toEqual({ cron: "0 8 * * MON-FRI", time_zone: "Europe/Berlin", missed: "once" });
  });
});
