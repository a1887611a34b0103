import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { joined } from "../../../../service/src/testing/people.ts";
import { faultsOf, hasNoBrowser, overflowsSideways, startConsole, tabTo } from "../../testing/testing.ts";
import type { TestConsole } from "../../testing/testing.ts";

describe.skipIf(hasNoBrowser)("events and their types", { timeout: 180_000 }, () => {
  let started: TestConsole;
  let eventId: string;

  const api = async (method: string, path: string, body?: unknown) => await started.service.api(method, path, body);

  beforeAll(async () => {
    // The short retry schedule lets deliveries to a missing receiver fail at once.
    started = await startConsole({ env: { JUNCTION_RETRY_LADDER: "50ms,50ms,50ms,50ms,50ms" } });
    const { body } = await api("PUT", "/v1/inboxes/all");
    await started.service.endpoint(body["url"]);
    const fired = await api("POST", "/v1/events/fire", {
      event: "order.created",
      data: {
        customer: { external_id: "c_1", email: "ada@example.com" },
        order: { external_id: "1", note: "<img src=x onerror=window.hacked=1>", long: "n".repeat(10_000) },
      },
      subject: "<b>cus_1</b>",
    });
    eventId = fired.body["id"];
    await started.service.fire("app.signup.finished", { user: "u_1" });
  });
  afterAll(async () => await started.close());

  test("saved filters are opened by name in their list and environment", async () => {
    const page = await started.open("/events?event=app.signup.finished");
    await page.getByRole("link", { name: "app.signup.finished" }).waitFor();
    await tabTo(page, "Save filters");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Save filters" }).getByLabel("Name").fill("Sign-ups <b>");
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.getByText("Filters saved.").waitFor();
    expect(await page.getByRole("button", { name: "Save filters" }).count()).toBe(0);

    await page.goto("/events?since=24h");
    await tabTo(page, "Saved filters");
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Sign-ups <b>" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/events?event=app.signup.finished");

    await page.goto("/deliveries?state=failed");
    await page.getByRole("button", { name: "Save filters" }).click();
    expect(await page.getByRole("button", { name: "Saved filters" }).count()).toBe(0);
    await page.getByLabel("Name").fill("Broken");
    await page.getByRole("dialog").getByRole("button", { name: "Save filters" }).click();
    await page.getByRole("button", { name: "Broken" }).click();
    await page.getByRole("menuitem", { name: "Delete “Broken”" }).click();
    await page.getByRole("button", { name: "Broken" }).waitFor({ state: "detached" });
    expect(await page.getByRole("button", { name: "Save filters" }).count()).toBe(1);

    const sandbox = await page.context().newPage();
    await sandbox.goto("/events?since=24h");
    await sandbox.getByRole("button", { name: "Saved filters" }).waitFor();
    await sandbox.getByText("Sandbox", { exact: true }).click();
    await sandbox.getByLabel("You are viewing the sandbox").waitFor();
    await sandbox.getByRole("button", { name: "Saved filters" }).waitFor({ state: "detached" });
  });

  test("by keyboard alone: a custom event is fired and followed to its deliveries", async () => {
    const page = await started.open("/events");
    await page.getByRole("link", { name: "app.signup.finished" }).waitFor();
    await tabTo(page, "Fire event");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Fire event" });
    await dialog.getByRole("combobox", { name: "Event type" }).focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("not a name");
    await page.keyboard.press("Tab");
    await page.getByRole("listbox").waitFor({ state: "detached" });
    await tabTo(page, "Subject", "textbox");
    await page.keyboard.press("Enter");
    await expect
      .poll(async () => await dialog.getByRole("combobox", { name: "Event type" }).getAttribute("aria-invalid"))
      .toBe("true");
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole("combobox", { name: "Event type" }).fill("app.user.invited");
    await page.keyboard.press("Tab");
    await page.getByRole("listbox").waitFor({ state: "detached" });
    await tabTo(page, "Subject", "textbox");
    await page.keyboard.type("cus_9");
    await page.keyboard.press("Enter");
    await tabTo(page, "View event", "link");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/events/evt_*");
    await page.getByRole("row").filter({ hasText: "app.user.invited" }).getByText("Delivered").waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  covers(
    "dispatch.order.deterministic",
    "an event shows its ordered stages and its data, and can be fired again",
    async () => {
      const page = await started.open(`/events/${eventId}`);
      const stages = page.getByRole("table", { name: "Stages" });
      await stages.getByText("contacts").waitFor();
      const priorities = await stages.getByRole("row").locator("td:first-child").allTextContents();
      expect(priorities.map(Number)).toEqual(priorities.map(Number).toSorted((a, b) => a - b));
      expect(priorities.length).toBeGreaterThan(1);
      await page.getByText("onerror=window.hacked").waitFor();
      expect(await page.evaluate("window.hacked")).toBeUndefined();
      await page.getByRole("button", { name: "Fire again" }).click();
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole("alertdialog").getByRole("button", { name: "Fire again" }).click();
      await page.waitForURL((url) => url.pathname.startsWith("/events/evt_") && !url.pathname.endsWith(eventId));
    },
  );

  test("a system event is marked as such, and cannot be fired again", async () => {
    // No program listens on this port.
    await started.service.endpoint("http://127.0.0.1:9/hook", { events: ["app.lost"] });
    await started.service.fire("app.lost", {});
    const path = "/v1/events?event=webhook.delivery.failed";
    const { data } = await started.service.until(path, (body) => body["data"].length > 0);
    const page = await started.open(`/events/${data[0].id}`);
    await page.getByText("System", { exact: true }).waitFor();
    await page.getByText("No endpoint subscribes to this event.").waitFor();
    expect(await page.getByRole("button", { name: "Fire again" }).count()).toBe(0);
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("link", { name: "webhook.delivery.failed" }).click();
    await page.waitForURL("**/event-types/webhook.delivery.failed");
    await page.getByText("System", { exact: true }).waitFor();
  });

  test("the URL filters the list by name and subject, also without a match", async () => {
    const page = await started.open(`/events?event=order.created&subject=${encodeURIComponent("<b>cus_1</b>")}`);
    await page.getByRole("cell", { name: "<b>cus_1</b>" }).first().waitFor();
    expect(await page.getByText("app.signup.finished").count()).toBe(0);
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Remove filter: Event type" }).click();
    await page.waitForURL((url) => !url.search.includes("event="));
    const none = await started.open("/events?subject=nobody", { width: 320 });
    await none.getByRole("button", { name: "Clear filters" }).click();
    await none.getByRole("link", { name: "app.signup.finished" }).waitFor();
    expect(await overflowsSideways(none)).toBe(false);
  });

  test("the catalog lists 52 canonical and seen custom events with schema, example and subscribers", async () => {
    const page = await started.open("/event-types");
    await page.getByRole("heading", { name: "Commerce" }).waitFor();
    const { body } = await api("GET", "/v1/event-types");
    await expect
      .poll(async () => await page.getByRole("main").getByRole("listitem").count())
      .toBeGreaterThanOrEqual(62);
    expect(body["data"].filter((type: { system: boolean }) => !type.system)).toHaveLength(52);
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("link", { name: "order.created" }).click();
    await page.waitForURL("**/event-types/order.created");
    await page.getByRole("table", { name: "Fields" }).getByText("external_id").first().waitFor();
    await page.getByRole("main").getByRole("listitem").filter({ hasText: "contacts" }).waitFor();
    await page.getByRole("tab", { name: "Example" }).click();
    await page.getByRole("region", { name: "Example" }).waitFor();
    await page.getByRole("button", { name: "Fire event" }).click();
    await page
      .getByRole("dialog", { name: "Fire event" })
      .getByRole("button", { name: "Fire event", exact: true })
      .click();
    await page.getByRole("dialog", { name: "Event fired" }).waitFor();
    const own = await started.open("/event-types/app.signup.finished", { width: 320 });
    await own.getByRole("tree", { name: "Data" }).waitFor();
    expect(await overflowsSideways(own)).toBe(false);
    expect(await faultsOf(own)).toEqual([]);
  });

  test("viewers see the fire button disabled, and an empty list explains the next step", async () => {
    const { email, password } = await joined(started.service, "viewer");
    const page = await started.open("/events", { as: { email, password } });
    await expect
      .poll(async () => await page.getByRole("button", { name: "Fire event" }).first().isDisabled())
      .toBe(true);
    const empty = await started.open("/events", { environment: "sandbox" });
    await empty.getByRole("heading", { name: "No events yet" }).waitFor();
    expect(await faultsOf(empty)).toEqual([]);
  });

  test("an own type is created and gets a new version, with refusals shown", async () => {
    const page = await started.open("/event-types");
    await page.getByRole("button", { name: "Create event type" }).click();
    const dialog = page.getByRole("dialog", { name: "Create event type" });
    await dialog.getByRole("textbox", { name: "Name" }).fill("parcel.scanned");
    await dialog.getByRole("textbox", { name: "JSON Schema" }).fill('{"type":"text"}');
    await dialog.getByRole("button", { name: "Create event type" }).click();
    await dialog.getByText("must be one or more of", { exact: false }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole("textbox", { name: "JSON Schema" }).fill('{"properties":{"id":{"type":"string"}}}');
    await dialog.getByRole("button", { name: "Create event type" }).click();
    await page.getByRole("link", { name: "parcel.scanned" }).click();
    await page.getByRole("button", { name: "Edit type" }).click();
    const editor = page.getByRole("dialog", { name: "Edit event type" });
    await editor.getByRole("textbox", { name: "JSON Schema" }).fill('{"required":["id"]}');
    await editor.getByRole("button", { name: "Save" }).click();
    await editor.getByText("must not be removed", { exact: false }).waitFor();
    await editor.getByText("Make a new version with this schema").click();
    await editor.getByRole("button", { name: "Save" }).click();
    await editor.waitFor({ state: "detached" });
    expect((await api("GET", "/v1/event-types/parcel.scanned")).body).toMatchObject({ version: 2 });
    expect(await faultsOf(page)).toEqual([]);
    expect(await overflowsSideways(page)).toBe(false);
  });
});
