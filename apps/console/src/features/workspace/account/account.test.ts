import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { faultsOf, hasNoBrowser, OWNER, startConsole, totpCode } from "../../../testing/testing.ts";
import type { TestConsole } from "../../../testing/testing.ts";

describe.skipIf(hasNoBrowser)("a person's account, and the workspace's settings", () => {
  let started: TestConsole;

  beforeAll(async () => {
    started = await startConsole();
  });
  afterAll(async () => await started.close());

  test("a second factor is set up and then asked for; another session is ended", async () => {
    const page = await started.open("/account");
    await started.open("/account");
    await page.reload();
    expect(await faultsOf(page)).toEqual([]);
    await page
      .getByRole("button", { name: /End session on/ })
      .first()
      .click();
    await page.getByText("Session ended.").waitFor();

    await page.getByLabel("Your password").fill("not my password");
    await page.getByRole("button", { name: "Set up authenticator" }).click();
    await page.getByRole("alert").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByLabel("Your password").fill(OWNER.password);
    await page.getByRole("button", { name: "Set up authenticator" }).click();
    const secret = await page.getByLabel("Authenticator secret", { exact: true }).innerText();
    await page.getByLabel("Authenticator code").fill(totpCode(secret));
    await page.getByRole("button", { name: "Confirm code" }).click();
    const codes = await page.getByRole("region", { name: "Recovery codes" }).innerText();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "I have saved the codes" }).click();
    await page.getByRole("form", { name: "Turn off two-factor authentication" }).waitFor();

    const other = await started.open("/settings", { as: null });
    await other.getByLabel("E-mail").fill(OWNER.email);
    await other.getByLabel("Password").fill(OWNER.password);
    await other.keyboard.press("Enter");
    await other.getByRole("heading", { name: "Two-factor authentication" }).waitFor();
    expect(await faultsOf(other)).toEqual([]);
    await other.keyboard.type(codes.split("\n")[0] ?? "");
    await other.keyboard.press("Enter");
    await other.getByRole("heading", { name: "Settings" }).waitFor();

    await page.getByLabel("Authenticator or recovery code").fill(codes.split("\n")[1] ?? "");
    await page.getByRole("button", { name: "Turn off two-factor authentication" }).click();
    await page.getByText("Two-factor authentication turned off.").waitFor();
  });

  test("settings are saved, hostile names stay text, and errors appear at their fields", async () => {
    const page = await started.open("/settings");
    await page.getByRole("form", { name: "Workspace settings" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    const hostile = `"><img src=x onerror="document.title='hacked'">`;
    await page.getByRole("textbox", { name: "Name" }).fill(hostile);
    await page.getByRole("combobox", { name: "Time zone" }).fill("Nowhere/Land");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Save settings", exact: true }).click();
    await page.getByText("must be a time zone of the IANA database").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("combobox", { name: "Time zone" }).fill("Europe/Lisbon");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Save settings", exact: true }).click();
    await page.getByText("Settings saved.").waitFor();
    await page.reload();
    await page.getByText(hostile).first().waitFor();
    expect(await page.title()).toBe("Settings · Junction");
    expect(await faultsOf(page)).toEqual([]);

    await page.getByRole("button", { name: "Delete workspace" }).click();
    await page.getByRole("alertdialog").waitFor();
    await expect
      .poll(
        async () => await page.getByRole("alertdialog").getByRole("button", { name: "Delete workspace" }).isDisabled(),
      )
      .toBe(true);
    expect(await faultsOf(page)).toEqual([]);
  });
});
