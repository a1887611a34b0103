import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hexMac, makeSource } from "../../../../service/src/testing/inbound.ts";
import { nowSeconds } from "../../../../service/src/testing/request-signing.ts";
import { faultsOf, hasNoBrowser, overflowsSideways, startConsole, tabTo } from "../../testing/testing.ts";
import type { Page, TestConsole } from "../../testing/testing.ts";

const run = promisify(execFile);

describe.skipIf(hasNoBrowser)("sources of known senders", () => {
  let started: TestConsole;

  const shown = async (id: string): Promise<Record<string, unknown>> =>
    (await started.service.api("GET", `/v1/inbound-endpoints/${id}`)).body;
  const openGallery = async (page: Page): Promise<void> => {
    await tabTo(page, "Create source");
    await page.keyboard.press("Enter");
    await page.getByRole("searchbox", { name: "Search senders" }).waitFor();
  };
  const search = async (page: Page, text: string): Promise<void> => {
    await page.keyboard.press("Control+a");
    await page.keyboard.type(text);
  };

  /** Moves with the arrow keys to an option of the list, and chooses it. */
  const choose = async (page: Page, name: RegExp): Promise<void> => {
    const option = page.getByRole("dialog").getByRole("option", { name });
    await option.waitFor();
    for (let pressed = 0; (await option.getAttribute("data-focused")) === null; pressed += 1) {
      if (pressed > 20) throw new Error(`the arrow keys never reach ${String(name)}`);
      await page.keyboard.press("ArrowDown");
    }
    await page.keyboard.press("Enter");
  };

  beforeAll(async () => {
    started = await startConsole();
  });
  afterAll(async () => await started.close());

  test("by keyboard alone: a GitHub source is created, and its test event arrives", async () => {
    const page = await started.open("/sources");
    await openGallery(page);
    const options = page.getByRole("dialog").getByRole("option");
    await options.nth(40).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await search(page, "code repositories git");
    await expect.poll(async () => await options.count()).toBeLessThan(8);
    expect(await faultsOf(page)).toEqual([]);
    await search(page, "github");
    await expect.poll(async () => await options.allInnerTexts()).toEqual([expect.stringMatching(/^GitHub/)]);
    await choose(page, /^GitHub/);
    const form = page.getByRole("dialog", { name: "Create source for GitHub" });
    await form.waitFor();
    expect(await form.getByRole("textbox", { name: "Name" }).inputValue()).toBe("GitHub");
    expect(await faultsOf(page)).toEqual([]);
    await form.getByLabel("Secret").waitFor();
    await page.keyboard.press("Enter");
    const made = page.getByRole("dialog", { name: "Source created" });
    const secret = await made.getByLabel("Secret", { exact: true }).innerText();
    await made.getByRole("list", { name: "Steps in GitHub" }).getByText("Add webhook").first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await tabTo(page, "Open source", "link");
    await page.keyboard.press("Enter");

    const command = await page.getByRole("region", { name: "Signed request" }).innerText();
    expect(await faultsOf(page)).toEqual([]);
    await run("bash", ["-c", command.replace("'…'", `'${secret}'`)]);
    await tabTo(page, "push", "link");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/receipts/rcp_*");
    await page.getByRole("link", { name: "ada@example.com" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await tabTo(page, /^evt_/, "link");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/events/evt_*");
    await page.getByText("inbound.push").first().waitFor();

    await page.goto("/sources");
    await page.getByRole("row").filter({ hasText: "GitHub" }).first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  test("a search without results leaves the way to other systems, and back", async () => {
    const page = await started.open("/sources", { width: 320, height: 640 });
    await openGallery(page);
    await search(page, "no such sender");
    await page.getByText("No matching senders.").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(await overflowsSideways(page)).toBe(false);
    await tabTo(page, "Other system");
    await page.keyboard.press("Enter");
    const form = page.getByRole("dialog", { name: "Create source" });
    await form.getByRole("radio", { name: /Custom/ }).waitFor();
    await tabTo(page, "Change sender", "button", form);
    await page.keyboard.press("Enter");
    await page.getByRole("searchbox", { name: "Search senders" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  test("a public key is required, and a wrong one is refused", async () => {
    const page = await started.open("/sources");
    await openGallery(page);
    await search(page, "discord interactions");
    await choose(page, /^Discord interactions/);
    const key = page.getByRole("textbox", { name: "Public Key" });
    await key.waitFor();
    await page.getByText("Paste the Public Key from Discord").waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(async () => await key.getAttribute("aria-invalid")).toBe("true");
    await key.fill("not a public key");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("must be the sender's public key").first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await key.fill("ab".repeat(32));
    await page.keyboard.press("Enter");
    const made = page.getByRole("dialog", { name: "Source created" });
    await made.getByRole("list", { name: "Steps in Discord" }).waitFor();
    expect(await made.getByText("It is shown only once").count()).toBe(0);
    await made.getByText("Send a test event").click();
    await made.getByText("Only the sender has the private key").waitFor();
    expect(await page.getByRole("region", { name: "Signed request" }).count()).toBe(0);
    expect(await faultsOf(page)).toEqual([]);
  });

  test("a Slack handshake is shown as a URL check, without an event", async () => {
    const source = await makeSource(started.service, { sender: "slack", secret: "slack-secret-1" });
    const body = '{"type":"url_verification","challenge":"3eZbrw1a"}';
    const time = String(nowSeconds());
    const signature = `v0=${hexMac("slack-secret-1", `v0:${time}:${body}`)}`;
    await source.sendAs({ "X-Slack-Request-Timestamp": time, "X-Slack-Signature": signature }, body);
    const page = await started.open(`/sources/${source.id}`);
    const row = page.getByRole("row").filter({ hasText: "URL check" });
    await row.getByText("Checked the URL").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await row.getByRole("link").first().click();
    await page.getByRole("heading", { name: "URL check" }).waitFor();
    await page.getByText("No event was fired.").waitFor();
    expect(await page.getByRole("button", { name: "Reprocess receipt" }).isDisabled()).toBe(true);
    await page.getByText(/^\d+ headers$/).click();
    await page.getByText(signature).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.goto(`/sources/${source.id}?tab=mapping`);
    await page.getByText("No requests yet").waitFor();
  });

  test("an unsigned URL check is not marked as invalid", async () => {
    const source = await makeSource(started.service, { sender: "meta", secret: "app-secret-1" });
    const answer = await fetch(
      `${started.service.baseUrl}${source.target}&hub.mode=subscribe&hub.verify_token=x&hub.challenge=1`,
      { headers: { [`x-${"w".repeat(150)}`]: `<img src=x onerror=alert(1)>${"W".repeat(900)}` } },
    );
    expect(await answer.text()).toBe("1");
    const page = await started.open(`/sources/${source.id}`);
    const row = page.getByRole("row").filter({ hasText: "URL check" });
    await row.getByText("Not signed").waitFor();
    expect(await row.getByText("Invalid").count()).toBe(0);
    await row.getByRole("link").first().click();
    await page.setViewportSize({ width: 320, height: 640 });
    await page.getByText(/^\d+ headers$/).click();
    await page.getByText("<img src=x onerror=alert(1)>").waitFor();
    expect(await overflowsSideways(page)).toBe(false);
    expect(await page.locator("img[src=x]").count()).toBe(0);
    expect(await faultsOf(page)).toEqual([]);
  });

  test("a form is mapped as JSON, with a type from a header", async () => {
    const source = await makeSource(started.service, { name: "A form", preset: "custom" });
    const form = "mail=ada%40example.com&amount=12.50";
    const headers = { "Content-Type": "application/x-www-form-urlencoded", "X-Kind": "form/sent" };
    expect((await source.send(form, headers)).status).toBe(200);
    const page = await started.open(`/sources/${source.id}`);
    const row = page.getByRole("row").filter({ hasText: "Accepted" });
    await row.getByRole("link").first().click();
    await page.getByText("It has no contact.").waitFor();
    await page.goto(`/sources/${source.id}?tab=mapping`);
    await page.getByRole("treeitem").filter({ hasText: "12.50" }).last().waitFor();
    await page.getByRole("treeitem").filter({ hasText: "ada@example.com" }).last().click();
    const field = (name: string) => page.getByRole("textbox", { name });
    expect(await field("Contact e-mail").inputValue()).toBe("$.mail");
    await tabTo(page, "Type header", "textbox");
    await page.keyboard.type("X-Kind");
    const results = page.getByRole("region", { name: "Mapping results" });
    await results.getByText("inbound.form_sent").waitFor();
    await results.getByText("ada@example.com").waitFor();
    await tabTo(page, /^If the request has an address/, "radio");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await results.getByText("ada@example.com").waitFor({ state: "detached" });
    expect(await faultsOf(page)).toEqual([]);
    await tabTo(page, "Save mapping");
    await page.keyboard.press("Enter");
    await page.getByText("Mapping saved.").waitFor();
    expect(await shown(source.id)).toMatchObject({
      contact: "none",
      contact_email_path: "$.mail",
      event_type_header: "X-Kind",
      idempotency_key_header: null,
    });
  });

  test("response, scheme and secret are set, and the service's errors are at their fields", async () => {
    const source = await makeSource(started.service, { name: "Warehouse", preset: "custom" });
    const page = await started.open(`/sources/${source.id}?tab=settings`);
    const response = page.getByRole("form", { name: "Response" });
    await response.getByRole("radio", { name: /^Custom/ }).check({ force: true });
    await response.getByRole("button", { name: "Content type" }).click();
    await page.getByRole("option", { name: "text/plain" }).click();
    await response.getByRole("textbox", { name: "Body" }).fill("[accepted]");
    expect(await faultsOf(page)).toEqual([]);
    await response.getByRole("button", { name: "Save response" }).click();
    await page.getByText("Response saved.").waitFor();
    expect((await source.send('{"n":1}')).text).toBe("[accepted]");

    const signature = page.getByRole("form", { name: "Signature" });
    await signature.getByRole("button", { name: "Signature scheme" }).click();
    await page.getByRole("option", { name: "Custom" }).click();
    const scheme = signature.getByRole("textbox", { name: "Scheme as JSON" });
    await scheme.fill('{"kind":');
    await signature.getByText("Enter a valid JSON object.").waitFor();
    await scheme.fill(
      '{"kind":"hmac","algorithm":"sha512","encoding":"hex","header":"X-Sig","timestamp_header":"X-Time"}',
    );
    await signature.getByRole("button", { name: "Save signature" }).click();
    await expect.poll(async () => await scheme.getAttribute("aria-invalid")).toBe("true");
    expect(await faultsOf(page)).toEqual([]);
    await scheme.fill('{"kind":"token","header":"X-Token"}');
    await signature.getByRole("button", { name: "Save signature" }).click();
    await page.getByText("Signature scheme saved.").waitFor();
    expect(await shown(source.id)).toMatchObject({ scheme: { kind: "token", header: "X-Token" }, preset: "custom" });

    await page.getByRole("button", { name: "Set secret" }).click();
    const dialog = page.getByRole("dialog", { name: "Set secret" });
    await dialog.getByLabel("Secret", { exact: true }).fill("short");
    await dialog.getByRole("button", { name: "Save secret" }).click();
    await dialog.getByRole("alert").first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByLabel("Secret", { exact: true }).fill("a token of ours");
    await page.keyboard.press("Enter");
    await page.getByText("Secret saved.").waitFor();
    expect((await source.sendAs({ "X-Token": "a token of ours" }, '{"n":2}')).status).toBe(200);
    await page.getByRole("tab", { name: "Connect" }).click();
    const command = await page.getByRole("region", { name: "Signed request" }).innerText();
    expect(command).toContain("X-Token");
    expect(command).not.toContain("X-Service-Inbound-Signature");
    await response.waitFor({ state: "detached" });
    expect(await faultsOf(page)).toEqual([]);
  });
});
