import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startReceiver } from "../../../service/src/testing/receiver.ts";
import type { Receiver } from "../../../service/src/testing/receiver.ts";
import { hasNoBrowser, OWNER, startConsole, tabTo } from "./testing.ts";
import type { Page, TestConsole } from "./testing.ts";

// The screens' own tests do each main task one way, by mouse or by keyboard. These tests do it the other way.
describe.skipIf(hasNoBrowser)("main tasks, the other way round", { timeout: 90_000 }, () => {
  let started: TestConsole;
  let receiver: Receiver;

  beforeAll(async () => {
    [started, receiver] = await Promise.all([startConsole(), startReceiver()]);
  });
  afterAll(async () => {
    await started.close();
    await receiver.close();
  });

  const listed = async (path: string): Promise<{ readonly id: string; readonly state?: string }[]> =>
    (await started.service.api("GET", path)).body["data"];
  const press = async (page: Page, name: string | RegExp, role?: Parameters<Page["getByRole"]>[0]): Promise<void> => {
    await tabTo(page, name, role);
    await page.keyboard.press("Enter");
  };

  test("by mouse: an endpoint is added, and the tester's event arrives there", async () => {
    const page = await started.open("/endpoints");
    await page.getByRole("button", { name: "Create endpoint" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Create endpoint" });
    await dialog.getByLabel("URL").fill(`${receiver.url}/by-mouse`);
    await dialog.getByRole("button", { name: "Create endpoint" }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.keyboard.press("Escape");
    const [made] = await listed("/v1/webhook-endpoints");
    await page.goto(`/endpoints/${made?.id ?? ""}`);
    await page.getByRole("tab", { name: "Test" }).click();
    await page.getByRole("button", { name: "Send test", exact: true }).click();
    await page.getByRole("status").getByText("Delivered", { exact: true }).waitFor();
    expect(receiver.received.map(({ path }) => path)).toContain("/hook/by-mouse");
  });

  test("by mouse: an event is fired and its delivery replayed", async () => {
    const page = await started.open("/events");
    await page.getByRole("button", { name: "Fire event" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Fire event" });
    await dialog.getByRole("combobox", { name: "Event" }).fill("order.paid");
    await page.getByRole("option", { name: "order.paid" }).click();
    await dialog.getByRole("button", { name: "Fire event", exact: true }).click();
    await page.getByRole("link", { name: "View event" }).click();
    await page.waitForURL("**/events/evt_*");
    await page.getByRole("row").filter({ hasText: "by-mouse" }).getByRole("link").first().click();
    await page.waitForURL("**/deliveries/dlv_*");
    await page.getByRole("button", { name: "Replay delivery" }).click();
    await page.getByText("Replay started.").waitFor();
  });

  test("by mouse: a key is created and revoked, and a member is invited", async () => {
    const page = await started.open("/keys");
    await page.getByRole("button", { name: "Create key" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("By mouse");
    await dialog.getByRole("button", { name: "Create live key" }).click();
    await page.getByRole("button", { name: "I have copied the key" }).click();
    await page.getByRole("link", { name: "By mouse" }).click();
    await page.getByRole("button", { name: /^Revoke/ }).click();
    await page.getByRole("alertdialog").getByRole("textbox").fill("By mouse");
    await page
      .getByRole("alertdialog")
      .getByRole("button", { name: /^Revoke/ })
      .click();
    await page.getByText("Revoked").first().waitFor();
    await page.goto("/members");
    await page.getByRole("button", { name: "Invite member", exact: true }).click();
    await page.getByRole("dialog").getByLabel("E-mail").fill("grace@example.com");
    await page.getByRole("dialog").getByRole("button", { name: "Create invitation" }).click();
    await page.getByLabel("Invitation link", { exact: true }).waitFor();
  });

  test("by keyboard alone: signing in, and a payload in the tester", async () => {
    const page = await started.open("/tester", { as: null });
    await page.getByLabel("E-mail").waitFor();
    await page.keyboard.type(OWNER.email);
    await page.keyboard.press("Tab");
    await page.keyboard.type(OWNER.password);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Tester" }).waitFor();
    await tabTo(page, "Data", "textbox");
    await page.keyboard.press("Control+a");
    await page.keyboard.type('{"order":"ord_1"}');
    await press(page, "Dry run");
    await page.getByText("Dry run: nothing was sent").waitFor();
    await press(page, "Send test");
    await page.getByRole("status").getByText("Delivered", { exact: true }).waitFor();
  });

  test("by keyboard alone: a workflow is made and tried", async () => {
    const page = await started.open("/workflows/new");
    await tabTo(page, "Name", "textbox");
    await page.keyboard.type("By keyboard");
    await tabTo(page, /Event/, "combobox");
    await page.keyboard.type("order.created");
    await page.keyboard.press("Escape");
    await tabTo(page, "URL", "textbox");
    await page.keyboard.type(`${receiver.url}/workflow`);
    await press(page, "Create workflow");
    await page.getByRole("heading", { name: "Workflow created" }).waitFor();
    await press(page, "Test with an event", "link");
    await press(page, "Run test");
    await page.getByRole("heading", { name: "A run would start" }).waitFor();
  });

  test("by keyboard alone: the audit is filtered, a row is opened, the chain verified", async () => {
    const page = await started.open("/audit");
    await press(page, "Verify chain");
    await page.getByText(/Chain verified: \d+ entries checked/).waitFor();
    await page.getByRole("table", { name: "Audit log" }).getByRole("link").first().focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Hash chain" }).waitFor();
  });

  test("by keyboard alone: a setting is saved", async () => {
    const page = await started.open("/settings");
    await tabTo(page, "Name", "textbox");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("Named by keyboard");
    await press(page, "Save settings");
    await page.getByText("Settings saved.").waitFor();
    await page.reload();
    await expect
      .poll(async () => await page.getByRole("textbox", { name: "Name" }).inputValue())
      .toBe("Named by keyboard");
  });
});
