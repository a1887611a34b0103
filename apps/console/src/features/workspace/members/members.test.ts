import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { faultsOf, hasNoBrowser, overflowsSideways, startConsole, tabTo } from "../../../testing/testing.ts";
import type { TestConsole } from "../../../testing/testing.ts";

describe.skipIf(hasNoBrowser)("members", () => {
  let started: TestConsole;
  const ada = { email: "ada@example.com", password: "a long enough password" };

  beforeAll(async () => {
    started = await startConsole();
  });
  afterAll(async () => await started.close());

  test("an owner invites by keyboard, and the invited member joins with the role's permissions", async () => {
    const page = await started.open("/members");
    await tabTo(page, "Invite member");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Invite member" }).waitFor();
    await page.keyboard.type("no address");
    await page.keyboard.press("Enter");
    await page.getByText(/include an '@'/).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByLabel("E-mail").fill(ada.email);
    await page.keyboard.press("Enter");
    const link = await page.getByLabel("Invitation link", { exact: true }).innerText();
    expect(await faultsOf(page)).toEqual([]);

    const joining = await started.open(new URL(link).pathname + new URL(link).search, { as: null });
    await joining.getByRole("heading", { name: "Join Test" }).waitFor();
    expect(await faultsOf(joining)).toEqual([]);
    await joining.getByLabel("Your name").fill("Ada <b>Moreau</b>");
    await joining.getByLabel("Password").fill(ada.password);
    await joining.getByRole("button", { name: "Join workspace" }).click();
    await joining.getByRole("navigation", { name: "Main" }).waitFor();
    await joining.goto("/members");
    await joining.getByText("Only owners and admins can invite members. Your role is developer.").waitFor();
    await expect
      .poll(async () => await joining.getByRole("button", { name: "Invite member", exact: true }).isDisabled())
      .toBe(true);
    // A name is text, regardless of its content.
    await joining.getByText("Ada <b>Moreau</b>").first().waitFor();
    const used = await started.open(new URL(link).pathname + new URL(link).search, { as: null });
    await used.getByRole("alert").waitFor();
  });

  test("a role changes, a password link works, a member is removed, permissions are listed", async () => {
    const page = await started.open("/members");
    await page.getByRole("button", { name: /Actions for Ada/ }).click();
    await page.getByRole("menuitem", { name: "Change role" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("menuitem", { name: "Change role" }).click();
    await page.getByRole("button", { name: /Role/ }).click();
    await page.getByRole("option", { name: "operator" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("option", { name: "operator" }).click();
    await page.getByRole("button", { name: "Save member" }).click();
    await page.getByRole("cell", { name: "operator" }).waitFor();

    await page.getByRole("button", { name: /Actions for Ada/ }).click();
    await page.getByRole("menuitem", { name: "Create password link" }).click();
    await page.getByRole("button", { name: "Create link" }).click();
    const link = new URL(await page.getByLabel("Password link", { exact: true }).innerText());
    const reset = await started.open(link.pathname + link.search, { as: null });
    await reset.getByLabel("New password").fill("another long password");
    await reset.getByRole("button", { name: "Change password" }).click();
    await reset.getByRole("link", { name: "Sign in" }).waitFor();
    expect(await faultsOf(reset)).toEqual([]);

    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: /Actions for Ada/ }).click();
    await page.getByRole("menuitem", { name: "Remove member" }).click();
    await page.getByRole("alertdialog").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Remove member" }).click();
    await page.getByText(/removed\.$/).waitFor();

    await page.getByRole("tab", { name: "Roles" }).click();
    await page.getByLabel("Operation").fill("keys.create");
    const row = page.getByRole("row", { name: /keys\.create/ });
    expect(await row.getByText("not allowed", { exact: true }).count()).toBeGreaterThan(0);
    expect(new URL(page.url()).search).toBe("?tab=roles&operation=keys.create");
    expect(await faultsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await overflowsSideways(page)).toBe(false);
  });
});
