import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { confirmedActionOn, runOf } from "../../../../service/src/testing/actions.ts";
import { mintKey } from "../../../../service/src/testing/keys.ts";
import type { TestKey } from "../../../../service/src/testing/keys.ts";
import { joined, signIn } from "../../../../service/src/testing/people.ts";
import { startReceiver } from "../../../../service/src/testing/receiver.ts";
import type { Receiver } from "../../../../service/src/testing/receiver.ts";
import { standingArgs } from "../../../../service/src/testing/standing-approval-calls.ts";
import { faultsOf, hasNoBrowser, overflowsSideways, startConsole } from "../../testing/testing.ts";
import type { Page, TestConsole } from "../../testing/testing.ts";

describe.skipIf(hasNoBrowser)("standing approvals", () => {
  let started: TestConsole;
  let receiver: Receiver;
  let action: string;
  let agent: TestKey;

  beforeAll(async () => {
    receiver = await startReceiver();
    receiver.answer((response) => response.writeHead(200).end('{"refund":"rf_1"}'));
    started = await startConsole();
    action = await confirmedActionOn(started.service, receiver, { label: "Refund a payment" });
    await confirmedActionOn(started.service, receiver, { label: "Delete everything", destructive: true });
    agent = await mintKey(started.service, { name: "Support agent", actor_type: "ai", role: "ai" });
  });
  afterAll(async () => {
    await started.close();
    await receiver.close();
  });

  const asked = async (amount: number): Promise<number> =>
    (await runOf(started.service, action, { parameters: { amount } }, { key: agent.key })).status;
  const pick = async (page: Page, label: RegExp, option: string): Promise<void> => {
    await page.getByRole("button", { name: label }).click();
    await page.getByRole("option", { name: option }).click();
  };

  test("an owner writes one, an agent uses it, and its page shows the use", async () => {
    const page = await started.open("/standing-approvals");
    await page.getByText("No standing approvals yet").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("link", { name: "Approve in advance" }).first().click();
    await page.getByLabel("Name", { exact: true }).fill("Small refunds");
    await page.getByRole("button", { name: /Select…/ }).click();
    expect(await page.getByRole("option", { name: /Delete everything/ }).count()).toBe(0);
    await page.getByRole("option", { name: /Refund a payment/ }).click();
    await page.getByText("Support agent").click();
    await page.getByRole("button", { name: "Add condition" }).click();
    await page.getByRole("textbox", { name: "Field" }).fill("parameters.total");
    await pick(page, /Operator/, "is at most");
    await page.getByRole("textbox", { name: "Value" }).fill("50");
    await page.getByLabel("Calls", { exact: true }).fill("1");
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Approve in advance" }).click();
    await page.getByRole("alert", { name: "Fields to correct" }).getByText("/when/all/0/field").waitFor();
    await page.getByRole("textbox", { name: "Field" }).fill("parameters.amount");
    await page.getByRole("button", { name: "Approve in advance" }).click();
    await page.getByRole("heading", { name: "Small refunds" }).waitFor();
    await page.getByText("Not used yet").waitFor();
    await page.getByText("parameters.amount is at most 50").waitFor();
    expect([await asked(51), await asked(50), await asked(50)]).toEqual([202, 200, 202]);
    await page.reload();
    await page.getByText("1 of 1").waitFor();
    await page.getByRole("table", { name: "Approved calls" }).getByText("Refund a payment").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await overflowsSideways(page)).toBe(false);
  });

  test("its condition is shown in words, with groups as lists", async () => {
    const leaf = (op: string, value: unknown): object => ({ field: "parameters.amount", op, value });
    const when = { all: [leaf("eq", 7), { not: [leaf("in", [13, 14]), leaf("exists", false)] }] };
    const owner = await signIn(started.service);
    const made = await owner.call(
      "POST",
      "/v1/standing-approvals",
      standingArgs(action, agent.id, { name: "Groups", when }),
    );
    expect(made.status).toBe(201);
    const page = await started.open(`/standing-approvals/${made.body.id}`);
    const card = page.locator("section", { has: page.getByRole("heading", { name: "Condition" }) });
    await card.getByText("All of these are met:").waitFor();
    expect((await card.getByRole("listitem").allInnerTexts()).slice(2)).toEqual([
      "parameters.amount is one of 13, 14",
      "parameters.amount does not exist",
    ]);
    expect(await card.innerText()).not.toContain("{");
    expect(await faultsOf(page)).toEqual([]);
  });

  test("the proposal links to what approved it", async () => {
    const page = await started.open("/approvals?state=executed");
    await page.getByRole("link", { name: "Refund a payment" }).click();
    await page.getByText("in advance").first().waitFor();
    await page.getByRole("link", { name: "Small refunds" }).first().click();
    await page.getByRole("heading", { name: "Small refunds" }).waitFor();
  });

  test("it ends by a button that asks first, and nothing more is approved", async () => {
    const page = await started.open("/standing-approvals");
    await page.getByRole("link", { name: "Small refunds" }).click();
    await page.getByRole("button", { name: "End", exact: true }).click();
    await page.getByRole("button", { name: "End standing approval" }).click();
    await page.getByText("Standing approval ended.").waitFor();
    await page.getByText("Ended", { exact: true }).first().waitFor();
    expect(await page.getByRole("button", { name: "End", exact: true }).count()).toBe(0);
    expect(await asked(1)).toBe(202);
  });

  test("an admin reads and ends, and sees that only owners write", async () => {
    const { email, password } = await joined(started.service, "admin");
    const page = await started.open("/standing-approvals", { as: { email, password } });
    await page.getByText("Only owners can approve in advance.").waitFor();
    expect(await page.getByRole("link", { name: "Approve in advance" }).count()).toBe(0);
  });
});
