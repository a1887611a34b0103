import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startMailServer } from "../../../../../service/src/testing/mail-server.ts";
import type { MailServer } from "../../../../../service/src/testing/mail-server.ts";
import { faultsOf, hasNoBrowser, startConsole } from "../../../testing/testing.ts";
import type { TestConsole } from "../../../testing/testing.ts";

const MESSAGE = "Order 1001 is above the limit.";

describe.skipIf(hasNoBrowser)("notifications and e-mail", () => {
  let started: TestConsole;
  let server: MailServer;

  beforeAll(async () => {
    server = await startMailServer("junction", "password");
    started = await startConsole({
      env: { JUNCTION_SMTP_URL: server.url, JUNCTION_MAIL_FROM: "junction@example.com" },
    });
  });
  afterAll(async () => {
    await started.close();
    await server.close();
  });

  test("a rule's message is shown to the person, who marks it as read", async () => {
    const { service } = started;
    const then = [{ type: "notify", to: ["owner"], message: MESSAGE }];
    await service.api("POST", "/v1/rules", { name: "Large orders", on: ["order.created"], then });
    const page = await started.open("/notifications");
    await page.getByText("No notifications yet").waitFor();
    await service.fire();
    await expect.poll(() => server.mails.length).toBe(1);
    await page.reload();
    await page.getByRole("link", { name: MESSAGE }).waitFor();
    await page.getByRole("cell", { name: "Unread" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Mark 1 as read" }).click();
    await page.getByRole("cell", { name: "Read", exact: true }).waitFor();
    await page.goto("/notifications?unread=true");
    await page.getByText("No unread notifications").waitFor();
  });

  test("the log shows each e-mail with its reason and its state, without its text", async () => {
    const page = await started.open("/mails");
    const row = page.getByRole("row").filter({ hasText: "Notification" });
    await row.getByText("Sent", { exact: true }).waitFor();
    expect(await page.getByRole("main").innerText()).not.toContain(MESSAGE);
    expect(await faultsOf(page)).toEqual([]);
    await page.goto("/mails?state=failed");
    await page.getByText("No matching e-mail").waitFor();
  });
});
