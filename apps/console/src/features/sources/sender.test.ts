import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeSource } from "../../../../service/src/testing/inbound.ts";
import { nowSeconds } from "../../../../service/src/testing/request-signing.ts";
import { hexMac } from "../../../../service/src/testing/inbound.ts";
import { faultsOf, hasNoBrowser, overflowsSideways, startConsole, tabTo } from "../../testing/testing.ts";
import type { Page, TestConsole } from "../../testing/testing.ts";
import { sampleCommand } from "./sample-request.ts";

const run = promisify(execFile);

describe.skipIf(hasNoBrowser)("senders", () => {
  let started: TestConsole;
  beforeAll(async () => {
    started = await startConsole();
  });
  afterAll(async () => await started.close());

  const commandOn = async (page: Page): Promise<string> =>
    await page.getByRole("region", { name: "Signed request" }).innerText();

  test("by keyboard alone: a source of GitHub is found, created and receives a push", async () => {
    const page = await started.open("/sources");
    await page.getByText("No sources yet").waitFor();
    await tabTo(page, "Create source");
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: /^GitHub/ }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.type("github");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "Name" }).waitFor();
    expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("GitHub");
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press("Tab");
    await page.keyboard.type("a-secret-of-github");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Set up GitHub" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await tabTo(page, "Open source", "link");
    await page.keyboard.press("Enter");
    await page.getByText("Waiting for the first request").waitFor();
    await run("bash", ["-c", (await commandOn(page)).replace("…", "a-secret-of-github")]);
    await page.getByRole("row").filter({ hasText: "Accepted" }).waitFor();
    await page.getByRole("link", { name: "push" }).first().click();
    await page.getByRole("heading", { name: "Request headers" }).waitFor();
    await page.getByText("x-github-event").waitFor();
    await page.getByRole("tree", { name: "Body" }).getByText("refs/heads/main").waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  test("a search without a match says what to do", async () => {
    const page = await started.open("/sources");
    await page.getByRole("button", { name: "Create source" }).first().click();
    await page.getByRole("menuitem", { name: /^Slack/ }).waitFor();
    await page.keyboard.type("no such system");
    await page.getByText("No sender with this name.").waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  test("a check of the URL is a receipt of its own kind", async () => {
    const source = await makeSource(started.service, { sender: "slack", secret: "slack-secret-2" });
    const body = '{"type":"url_verification","challenge":"abc"}';
    const time = String(nowSeconds());
    const signature = `v0=${hexMac("slack-secret-2", `v0:${time}:${body}`)}`;
    await source.sendAs({ "X-Slack-Request-Timestamp": time, "X-Slack-Signature": signature }, body);
    const page = await started.open(`/sources/${source.id}`);
    await page.getByRole("row").filter({ hasText: "URL checked" }).getByRole("link").first().click();
    await page.getByRole("heading", { name: "URL check" }).waitFor();
    await expect
      .poll(async () => await page.getByRole("button", { name: "Reprocess receipt" }).isDisabled())
      .toBe(true);
    expect(await faultsOf(page)).toEqual([]);
  });

  test("a form is mapped as the JSON that the service makes of it", async () => {
    const source = await makeSource(started.service, { name: "Form" });
    await source.send("who=ada%40example.com&kind=form.sent", { "Content-Type": "application/x-www-form-urlencoded" });
    const page = await started.open(`/sources/${source.id}?tab=mapping`);
    await page.getByRole("treeitem").filter({ hasText: "ada@example.com" }).last().click();
    expect(await page.getByRole("textbox", { name: /^Contact e-mail/ }).inputValue()).toBe("$.who");
    await page.getByRole("region", { name: "Mapping results" }).getByText("ada@example.com").waitFor();
    await page.getByRole("radio", { name: /^Required/ }).check({ force: true });
    await page.getByRole("textbox", { name: "Type header" }).fill("X-Kind");
    await page.getByRole("button", { name: "Save mapping" }).click();
    await page.getByText("Mapping saved.").waitFor();
    expect((await started.service.api("GET", `/v1/inbound-endpoints/${source.id}`)).body).toMatchObject({
      contact: "required",
      event_type_header: "X-Kind",
      contact_email_path: "$.who",
    });
    expect(await faultsOf(page)).toEqual([]);
  });

  test("a response and a scheme are changed, and a fault is at its field", async () => {
    const source = await makeSource(started.service, {
      scheme: { kind: "token", header: "X-Token" },
      secret: "a-token-1",
    });
    const page = await started.open(`/sources/${source.id}?tab=settings`);
    await page.getByText("Send a response of your own").click();
    await page.getByRole("textbox", { name: "Body" }).fill("thanks");
    await page.getByRole("button", { name: "Save response" }).click();
    await page.getByText("Response saved.").waitFor();
    const scheme = page.getByRole("textbox", { name: "Scheme" });
    await scheme.fill('{"kind":"token"}');
    await page.getByRole("button", { name: "Save scheme" }).click();
    await page.getByText("set exactly one of header, query and path").first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await scheme.fill('{"kind":"token","header":"X-Other"}');
    await page.getByRole("button", { name: "Save scheme" }).click();
    await page.getByText("Signature scheme saved.").waitFor();
    expect((await started.service.api("GET", `/v1/inbound-endpoints/${source.id}`)).body).toMatchObject({
      respond: { status: 200, content_type: "text/plain", body: "thanks" },
      scheme: { kind: "token", header: "X-Other" },
    });
  });

  test("the gallery fits at 320 px", async () => {
    const page = await started.open("/sources", { width: 320, height: 640 });
    await page.getByRole("button", { name: "Create source" }).first().click();
    await page.getByRole("menuitem", { name: /^Slack/ }).waitFor();
    expect(await overflowsSideways(page)).toBe(false);
    expect(await faultsOf(page)).toEqual([]);
  });

  test("the shell commands of every sender with such a signature are accepted", async () => {
    const { data } = (await started.service.api("GET", "/v1/senders?limit=100")).body;
    const tried: string[] = [];
    for (const { key, scheme, sample } of data) {
      if (sampleCommand(scheme, "", sample) === undefined) continue;
      const source = await makeSource(started.service, { sender: key });
      const command = sampleCommand(scheme, `${started.service.baseUrl}${source.target}`, sample) ?? "";
      await run("bash", ["-c", command.replace("…", source.secret)]);
      const [receipt] = await source.receipts();
      expect([key, receipt?.status, receipt?.reason_code]).toEqual([key, "ok", null]);
      tried.push(key);
    }
    expect(tried).toEqual(expect.arrayContaining(["github", "shopify", "slack", "stripe", "resend", "zoom"]));
    expect(tried.length).toBeGreaterThan(40);
  });
});
