import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { confirmedActionOn, proposalOf } from "../../../../../service/src/testing/actions.ts";
import { mintKey } from "../../../../../service/src/testing/keys.ts";
import { faultsOf, hasNoBrowser, OWNER, startConsole } from "../../../testing/testing.ts";
import type { Page, TestConsole } from "../../../testing/testing.ts";

describe.skipIf(hasNoBrowser)("passkeys of a person", () => {
  let started: TestConsole;
  let page: Page;

  beforeAll(async () => {
    started = await startConsole();
    page = await started.open("/sign-in", { as: null });
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("WebAuthn.enable");
    await devtools.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
  });
  afterAll(async () => await started.close());

  /** Opens a page at localhost, because browsers have no passkeys for an IP address. */
  async function visit(path: string): Promise<void> {
    await page.goto(started.service.baseUrl.replace("127.0.0.1", "localhost") + path);
  }

  async function givePassword(): Promise<void> {
    await page.getByLabel("E-mail").fill(OWNER.email);
    await page.getByLabel("Password").fill(OWNER.password);
    await page.keyboard.press("Enter");
  }

  test("a passkey is added, renamed, asked for where needed, and removed", async () => {
    await visit("/sign-in?next=/account");
    await givePassword();
    await page.getByText("You have no passkey.").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByLabel("Name of the key").fill("Blue key");
    await page.getByLabel("Password for a new key").fill(OWNER.password);
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Recovery codes for passkeys" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "I have saved the recovery codes" }).click();
    await page.getByRole("button", { name: "Rename Blue key" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Old key");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Remove Old key" }).waitFor();

    await page.context().clearCookies();
    await visit("/sign-in?next=/settings");
    await givePassword();
    await page.getByRole("heading", { name: "Two-factor authentication" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Use your passkey" }).press("Enter");
    await page.getByRole("form", { name: "Workspace settings" }).waitFor();
    await page.getByText("Passkey for high risk").click();
    await page.getByRole("button", { name: "Save settings", exact: true }).click();
    await page.getByText("Settings saved.").waitFor();

    const proposal = await waiting();
    await visit(`/approvals/${proposal}`);
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Use your passkey" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("dialog").getByRole("button", { name: "Use your passkey" }).press("Enter");
    await page.getByText("Proposal approved.").waitFor();

    await waiting();
    await waiting();
    await visit("/approvals");
    await page.getByText("Select all").click();
    await page.getByRole("button", { name: "Approve selected" }).click();
    const many = page.getByRole("dialog", { name: "Approve selected proposals" });
    await many.getByRole("button", { name: "Approve 2" }).click();
    await page.getByRole("button", { name: "Use your passkey" }).click();
    await expect.poll(async () => await many.getByText("Approved", { exact: true }).count()).toBe(2);
    await many.getByRole("button", { name: "Done" }).click();

    await visit("/account");
    await page.getByRole("button", { name: "Remove Old key" }).click();
    await page.getByRole("dialog").getByLabel("Recovery code").press("Enter");
    await page.getByRole("button", { name: "Use your passkey" }).click();
    await page.getByText("You have no passkey.").waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  /** Creates a proposal of high risk. Returns its id. */
  async function waiting(): Promise<string> {
    const { service } = started;
    const { key } = await mintKey(service, { actor_type: "ai", role: "ai" });
    const action = await confirmedActionOn(service, { url: "http://127.0.0.1:9/" }, { risk: "high" });
    return (await proposalOf(service, action, {}, { key })).id;
  }
});
