import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { faultsOf, hasNoBrowser, OWNER, overflowsSideways, startConsole, tabTo } from "../testing/testing.ts";
import type { TestConsole } from "../testing/testing.ts";

describe.skipIf(hasNoBrowser)("around every screen", () => {
  let started: TestConsole;

  beforeAll(async () => {
    started = await startConsole();
  });
  afterAll(async () => await started.close());

  test("who is not signed in signs in and comes back to where they were", async () => {
    const page = await started.open("/deliveries?state=failed", { as: null });
    expect(new URL(page.url()).pathname).toBe("/sign-in");
    expect(await faultsOf(page)).toEqual([]);
    await page.getByLabel("E-mail").fill(OWNER.email);
    await page.getByLabel("Password").fill("not my password");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByLabel("Password").fill(OWNER.password);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/deliveries?state=failed");
    expect(await page.evaluate("document.cookie")).toBe("");
  });

  test.each(["https://example.com/", "//example.com/", ":own//example.com/"])(
    "a sign-in link leads nowhere else: %s",
    async (link) => {
      const next = encodeURIComponent(link.replace(":own", started.service.baseUrl));
      const page = await started.open(`/sign-in?next=${next}`, { as: null });
      await page.getByLabel("E-mail").fill(OWNER.email);
      await page.getByLabel("Password").fill(OWNER.password);
      await page.keyboard.press("Enter");
      await page.waitForURL((url) => url.pathname !== "/sign-in");
      expect(new URL(page.url()).origin).toBe(started.service.baseUrl);
    },
  );

  test("a session that ended leads to the sign-in and back", async () => {
    const page = await started.open("/");
    await page.context().clearCookies();
    await page.getByRole("link", { name: "Members" }).click();
    await page.waitForURL("**/sign-in?next=%2Fmembers");
    await page.getByLabel("E-mail").fill(OWNER.email);
    await page.getByLabel("Password").fill(OWNER.password);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/members");
  });

  test("the palette opens a page by its name, and an id in its environment", async () => {
    const page = await started.open("/");
    const fired = await started.service.api(
      "POST",
      "/v1/events/fire",
      { event: "a.b", data: {} },
      { key: started.service.sandboxKey },
    );
    await page.keyboard.press("Control+k");
    await page.getByRole("searchbox", { name: "Find" }).fill("chain");
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/audit");
    await page.keyboard.press("Control+k");
    await page.getByRole("searchbox", { name: "Find" }).fill(`  ${String(fired.body["id"])} `);
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/events/${String(fired.body["id"])}`);
    expect(await page.getByRole("radio", { name: "Sandbox" }).isChecked()).toBe(true);
    await page.getByLabel("You are viewing the sandbox").waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  test("the palette finds objects by what people call them, by keyboard alone", async () => {
    const page = await started.open("/");
    const made = await started.service.endpoint("http://127.0.0.1:9/inbox/1", {
      description: "Warehouse north",
      active: false,
    });
    await page.keyboard.press("Control+k");
    const field = page.getByRole("searchbox", { name: "Find" });
    await field.fill("warehouse n");
    const option = page.getByRole("menuitem", { name: /Warehouse north/ });
    await option.waitFor();
    expect(await option.textContent()).toContain("http://127.0.0.1:9/inbox/1");
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/endpoints/${made.id}`);
    const ticket = await started.service.api("PUT", "/v1/tickets/T-77", { subject: "Parcel is late" });
    await started.service.api("POST", "/v1/keys", { name: "Billing robot", permission_mode: "all" });
    for (const [text, name, url] of [
      ["parcel is l", /Parcel is late.*Ticket/, `**/tickets/${String(ticket.body["id"])}`],
      ["robot", /Billing robot.*API key/, "**/keys/key_*"],
      [OWNER.email, /owner@example.com.*Member/, "**/members"],
    ] as const) {
      await page.keyboard.press("Control+k");
      await field.fill(text);
      await page.getByRole("menuitem", { name }).first().waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL(url);
    }
    await page.keyboard.press("Control+k");
    await field.fill("nothing is called this");
    await page.getByText("No matching page, object or ID.").waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  test("? lists the keys, g and a letter go, and Escape closes", async () => {
    const page = await started.open("/");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("g");
    await page.keyboard.press("a");
    await page.waitForURL("**/approvals");
    await expect.poll(async () => await page.evaluate("document.activeElement.tagName")).toBe("H1");
    expect(await page.title()).toBe("Approvals · Junction");
  });

  test("the first Tab leads past the navigation, and menus open by keyboard", async () => {
    const page = await started.open("/");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("main");
    const other = await started.open("/");
    await tabTo(other, /Theme/);
    await other.keyboard.press("Enter");
    await other.getByRole("menuitem", { name: "Dark" }).waitFor();
    expect(await faultsOf(other)).toEqual([]);
    await other.keyboard.press("End");
    await other.keyboard.press("Enter");
    expect(await other.evaluate("document.documentElement.dataset.theme")).toBe("dark");
  });

  test("at 320 px nothing is wider than the window, and the menu is a drawer", async () => {
    const page = await started.open("/", { width: 320, height: 640, environment: "sandbox" });
    expect(await overflowsSideways(page)).toBe(false);
    await page.getByRole("button", { name: "Open menu" }).click();
    await page.getByRole("dialog", { name: "Menu" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("link", { name: "Tickets" }).click();
    await page.waitForURL("**/tickets");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  test("an unknown path says so, and signing out ends the session", async () => {
    const page = await started.open("/");
    await page.goto("/no/such/page");
    await page.getByText("This page does not exist").waitFor();
    await page.goto("/");
    await page.getByRole("button", { name: /Account of/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.waitForURL("**/sign-in");
    const answer = await page.request.get("/v1/auth/session");
    expect(answer.status()).toBe(401);
  });
});
