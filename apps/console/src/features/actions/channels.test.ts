import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { joined } from "../../../../service/src/testing/people.ts";
import { linkAccount } from "../../../../service/src/testing/slack-app.ts";
import { startSlack } from "../../../../service/src/testing/slack.ts";
import type { SlackStandIn } from "../../../../service/src/testing/slack.ts";
import { faultsOf, hasNoBrowser, startConsole } from "../../testing/testing.ts";
import type { TestConsole } from "../../testing/testing.ts";

const APP = { team_id: "T0SHOP", signing_secret: "f".repeat(32), bot_token: "xoxb-3-token-of-the-shop" };

describe.skipIf(hasNoBrowser)("channels of approvals", () => {
  let slack: SlackStandIn;
  let started: TestConsole;
  beforeAll(async () => {
    slack = await startSlack({ teamId: APP.team_id, token: APP.bot_token, channels: ["C0REFUNDS"] });
    started = await startConsole({ env: { JUNCTION_SLACK_API_URL: slack.url } });
  });
  afterAll(async () => {
    await started.close();
    await slack.close();
  });

  test("an owner sets the Slack app and a channel, and tests it", async () => {
    const page = await started.open("/approval-channels");
    await page.getByText("No channels yet").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Set app" }).click();
    const app = page.getByRole("dialog", { name: "Slack app" });
    await app.getByLabel("Slack workspace ID").fill("C1");
    await app.getByLabel("Signing secret").fill(APP.signing_secret);
    await app.getByLabel("Token (xoxb-…)").fill(APP.bot_token);
    await app.getByRole("button", { name: "Save app" }).click();
    await expect.poll(async () => await app.getByLabel("Slack workspace ID").getAttribute("aria-invalid")).toBe("true");
    expect(await faultsOf(page)).toEqual([]);
    await app.getByLabel("Slack workspace ID").fill(APP.team_id);
    await app.getByRole("button", { name: "Save app" }).click();
    await page.getByText(/\/v1\/slack\/slk_\w+\/interactions/).waitFor();
    expect(await page.content()).not.toContain(APP.bot_token);
    await page.getByRole("button", { name: "Create channel" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Create channel" });
    await dialog.getByLabel("Name").fill("Refunds");
    await dialog.getByLabel("Slack channel ID").fill("C0REFUNDS");
    await dialog.getByLabel("Remind every (minutes)").fill("60");
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Create channel" }).click();
    await page.getByText("At once, again every 60 minutes").waitFor();
    await page.getByRole("button", { name: "Test Refunds" }).click();
    await page.getByText("The message was sent.").waitFor();
    expect(slack.messages).toHaveLength(1);
    expect(await faultsOf(page)).toEqual([]);
  });

  test("a member gets a code once, and sees and ends the link", async () => {
    const member = await joined(started.service, "operator");
    const as = { email: member.email, password: member.password };
    const page = await started.open("/account", { as });
    await page.getByText("No Slack account is linked.").waitFor();
    await page.getByLabel("Password for the link").fill(member.password);
    await page.getByRole("button", { name: "Link a Slack account" }).click();
    expect(await page.getByLabel("Code", { exact: true }).innerText()).toMatch(/^\w{5}-\w{5}$/);
    expect(await faultsOf(page)).toEqual([]);
    await started.service.api("PUT", "/v1/slack-app", APP);
    await linkAccount(started.service, member, { ...APP, userId: "U0MEMBER" });
    await page.reload();
    await page.getByRole("button", { name: "End the link of U0MEMBER" }).click();
    await page.getByText("No Slack account is linked.").waitFor();
  });
});
