import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { actionOn } from "../../../../service/src/testing/actions.ts";
import { joined } from "../../../../service/src/testing/people.ts";
import { startReceiver } from "../../../../service/src/testing/receiver.ts";
import type { Receiver } from "../../../../service/src/testing/receiver.ts";
import { faultsOf, hasNoBrowser, overflowsSideways, startConsole, tabTo } from "../../testing/testing.ts";
import type { TestConsole } from "../../testing/testing.ts";

describe.skipIf(hasNoBrowser)("action contracts", () => {
  let started: TestConsole;
  let receiver: Receiver;

  const contract = async (key: string): Promise<Record<string, unknown>> =>
    (await started.service.api("GET", `/v1/action-contracts/${key}`)).body;

  beforeAll(async () => {
    receiver = await startReceiver();
    receiver.answer((response) => response.writeHead(200).end("{}"));
    started = await startConsole();
  });
  afterAll(async () => {
    await started.close();
    await receiver.close();
  });

  test("by mouse: an action is registered, its secret is shown, and it is requested", async () => {
    const page = await started.open("/actions");
    await page.getByText("No actions yet").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("link", { name: "Register action" }).first().click();
    await page.getByRole("button", { name: "Register action" }).click();
    await page.getByRole("alert", { name: "Fields to correct" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("textbox", { name: "Key" }).fill("billing.refund");
    await page.getByRole("textbox", { name: "Label" }).fill("Refund a payment");
    await page.getByRole("button", { name: /^Medium Risk|Risk/ }).click();
    await page.getByRole("option", { name: /^High/ }).click();
    await page.getByRole("button", { name: "Add parameter" }).click();
    const parameter = page.getByRole("group", { name: "Parameter 1" });
    await parameter.getByRole("textbox", { name: "Parameter name" }).fill("amount");
    await parameter.getByRole("button", { name: /Type/ }).click();
    await page.getByRole("option", { name: "Whole number" }).click();
    await parameter.getByRole("textbox", { name: "Minimum value" }).fill("1");
    await page.getByRole("group", { name: "Surfaces" }).getByText("MCP").click();
    await page.getByRole("textbox", { name: "URL", exact: true }).fill(receiver.url);
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Register action" }).click();
    await page.getByLabel("Signing secret").filter({ hasText: "whsec_" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(await contract("billing.refund")).toMatchObject({
      label: "Refund a payment",
      risk: "high",
      requires_confirmation: true,
      surface: ["api", "console", "mcp", "assistant"],
      params: { amount: { type: "int", required: true, min: 1 } },
      endpoint: receiver.url,
    });
    await page.getByRole("link", { name: "Open action" }).click();
    await page.getByRole("button", { name: "Request action" }).click();
    await page.getByRole("dialog").getByRole("textbox", { name: "amount" }).fill("12");
    await page.getByRole("button", { name: "Preview action" }).click();
    await page.getByRole("button", { name: "Request approval" }).click();
    await page.waitForURL("**/approvals/prop_*");
  });

  test("by keyboard alone: an action is changed without losing other members, then deleted", async () => {
    const key = await actionOn(started.service, receiver, {
      requires_confirmation: true,
      response: { success_when: { path: "$.status", equals: "1" }, expose: ["refund"] },
      approval: { approver_roles: ["owner"], required: 2 },
      params: {
        order: { type: "string", enum: ["a", "b"], sensitive: true },
        "odd.name": { type: "number", max: 2.5 },
      },
    });
    const before = await contract(key);
    const page = await started.open(`/actions/${key}?tab=definition`);
    await tabTo(page, "Label", "textbox");
    await page.keyboard.type("Pay back");
    await tabTo(page, "Timeout (ms)", "textbox");
    await page.keyboard.type("99999");
    await tabTo(page, "Save action");
    await page.keyboard.press("Enter");
    await page.getByRole("alert", { name: "Fields to correct" }).waitFor();
    expect(await page.getByLabel("Timeout (ms)").getAttribute("aria-invalid")).toBe("true");
    expect(await faultsOf(page)).toEqual([]);
    await page.getByLabel("Timeout (ms)").focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("5000");
    await page.keyboard.press("Enter");
    await page.getByText("Action saved.").waitFor();
    const after = await contract(key);
    expect(after).toMatchObject({ label: "Pay back", timeout_ms: 5000, version: 2 });
    const untouched = [
      "surface",
      "roles",
      "params",
      "endpoint",
      "response",
      "approval",
      "undo",
      "auth",
      "risk",
      "audit",
    ];
    for (const member of untouched) expect([member, after[member]]).toEqual([member, before[member]]);

    await page.goto(`/actions/${key}?tab=settings`);
    await tabTo(page, "Show secret");
    await page.keyboard.press("Enter");
    await page.getByLabel("Signing secret").filter({ hasText: "whsec_" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await tabTo(page, "Delete action");
    await page.keyboard.press("Enter");
    await page.getByRole("alertdialog").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await tabTo(page, "Delete action", "button", page.getByRole("alertdialog"));
    await page.keyboard.press("Enter");
    await page.waitForURL("**/actions");
    expect((await started.service.api("GET", `/v1/action-contracts/${key}`)).status).toBe(404);
  });

  test("unsaved contract changes prompt before leaving, and a read-only role sees the contract", async () => {
    const key = await actionOn(started.service, receiver, { roles: ["owner", "viewer"] });
    const page = await started.open(`/actions/${key}?tab=definition`);
    await page.getByRole("textbox", { name: "Label" }).fill("Something else");
    await page.getByRole("link", { name: "Back to Actions" }).click();
    await page.getByRole("alertdialog", { name: "Leave without saving?" }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    expect(await page.getByRole("textbox", { name: "Label" }).inputValue()).toBe("Something else");
    await page.getByRole("link", { name: "Back to Actions" }).click();
    await page.getByRole("button", { name: "Discard changes" }).click();
    await page.waitForURL("**/actions");
    const { email, password } = await joined(started.service, "viewer");
    const other = await started.open(`/actions/${key}?tab=definition`, { as: { email, password }, width: 320 });
    await other.getByText("Your role can't change actions.").waitFor();
    await expect.poll(async () => await other.getByRole("button", { name: "Save action" }).isDisabled()).toBe(true);
    expect(await overflowsSideways(other)).toBe(false);
    expect(await faultsOf(other)).toEqual([]);
  });
});
