import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { joined } from "../../../../service/src/testing/people.ts";
import { faultsOf, hasNoBrowser, overflowsSideways, startConsole, tabTo } from "../../testing/testing.ts";
import type { TestConsole } from "../../testing/testing.ts";

const HOSTILE = `<script>window.hacked = true</script> \u202Emoc.live 🎉 ${"W".repeat(400)}`;

describe.skipIf(hasNoBrowser)("endpoints and the tester", { timeout: 180_000 }, () => {
  let started: TestConsole;
  let inboxUrl: string;
  let id: string;
  let secret: string;

  const api = async (method: string, path: string, body?: unknown) => await started.service.api(method, path, body);

  beforeAll(async () => {
    started = await startConsole();
    inboxUrl = (await api("PUT", "/v1/inboxes/shop")).body["url"];
    ({ id, secret } = await started.service.endpoint(inboxUrl, { description: HOSTILE, events: ["order.created"] }));
  });
  afterAll(async () => await started.close());

  test("by keyboard alone: an endpoint is created with field errors, secret and verification code", async () => {
    const page = await started.open("/endpoints");
    await page.getByRole("link", { name: /inbox/ }).first().waitFor();
    await tabTo(page, "Create endpoint");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Create endpoint" });
    await dialog.getByLabel("URL").waitFor();
    await page.keyboard.type("http://10.0.0.1/hooks");
    await page.keyboard.press("Enter");
    await dialog
      .getByText(/https|address/i)
      .first()
      .waitFor();
    await expect.poll(async () => await dialog.getByLabel("URL").getAttribute("aria-invalid")).toBe("true");
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press("Control+a");
    await page.keyboard.type(inboxUrl);
    await page.keyboard.press("Enter");
    await page
      .getByRole("dialog", { name: "Endpoint created" })
      .getByText(/^whsec_/)
      .waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await expect.poll(async () => (await api("GET", "/v1/webhook-endpoints")).body["data"].length).toBe(2);
  });

  covers(
    ["endpoint.state.deactivate", "endpoint.state.activate"],
    "the list shows an endpoint's state, and its switch turns it off and on",
    async () => {
      const page = await started.open("/endpoints?event=order.created&q=live");
      const row = page.getByRole("row").filter({ hasText: "<script>" });
      await row.getByText("Healthy").last().waitFor();
      expect(await faultsOf(page)).toEqual([]);
      await row.getByRole("switch", { disabled: false }).press("Space");
      await page.getByRole("alertdialog").getByRole("button", { name: "Turn off" }).click();
      await row.getByText("Off", { exact: true }).last().waitFor();
      expect((await api("GET", `/v1/webhook-endpoints/${id}`)).body["active"]).toBe(false);
      await row.getByRole("switch", { disabled: false }).press("Space");
      await row.getByText("Healthy").last().waitFor();
      expect(await page.evaluate("window.hacked")).toBeUndefined();
    },
  );

  covers(
    ["tester.result.fields", "tester.api.dry-run"],
    "the test tab shows body, signature and response; a dry run posts nothing",
    async () => {
      const page = await started.open(`/endpoints/${id}?tab=test`);
      await page.getByRole("button", { name: "Dry run" }).click();
      await page.getByText("Dry run: nothing was sent").waitFor();
      await page.getByRole("tab", { name: "Signature" }).click();
      await page
        .getByRole("region", { name: "Signature", exact: true })
        .getByText(/^[0-9a-f]{64}$/)
        .waitFor();
      await page.getByLabel("Data").fill("{");
      await page.getByText("Enter a valid JSON object.").waitFor();
      await page.getByLabel("Data").fill('{"order":{"external_id":"1"}}');
      await page.getByRole("button", { name: "Send test", exact: true }).click();
      await page.getByRole("status").getByText("Delivered", { exact: true }).waitFor();
      expect(await faultsOf(page)).toEqual([]);
    },
  );

  covers(
    ["endpoint.secret.regenerate"],
    "owners reveal and regenerate the secret, and the old one stays valid temporarily",
    async () => {
      const page = await started.open(`/endpoints/${id}?tab=settings`);
      await page.getByRole("button", { name: "Show secret" }).click();
      await page.getByText(secret).waitFor();
      await page.getByRole("button", { name: "Regenerate secret" }).click();
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole("dialog").getByRole("button", { name: "Regenerate secret" }).click();
      const made = page.getByRole("dialog", { name: "New secret" });
      await made.getByText(/^whsec_/).waitFor();
      await made.press("Escape");
      const { body } = await api("GET", `/v1/webhook-endpoints/${id}/secret`);
      expect(body["secret"]).not.toBe(secret);
      expect(body["previous_secret"]).toBe(secret);
      await page.getByRole("tab", { name: "Activity" }).click();
      await page.getByRole("link", { name: "Regenerated secret" }).waitFor();
      expect(await faultsOf(page)).toEqual([]);
    },
  );

  test("settings are saved with headers and limits; errors appear at their fields", async () => {
    const page = await started.open(`/endpoints/${id}?tab=settings`);
    await page.getByRole("button", { name: "Add header" }).click();
    await page.getByLabel("Header 1", { exact: true }).fill("Host");
    await page.getByLabel("Value 1").fill("example.com");
    await page.getByLabel("Rate limit (attempts per second)").fill("25");
    await page.getByRole("button", { name: "Save settings" }).click();
    await page.getByText("Host: Must not be a header that the service sets itself.").waitFor();
    await page.getByLabel("Header 1", { exact: true }).fill("X-Tenant");
    await page.getByRole("button", { name: "Save settings" }).click();
    await page.getByText("Endpoint saved. The next attempt uses the new settings.").waitFor();
    const { body } = await api("GET", `/v1/webhook-endpoints/${id}`);
    expect(body).toMatchObject({ headers: { "X-Tenant": "[redacted]" }, rate_limit_per_second: 25 });
    expect((await api("GET", `/v1/webhook-endpoints/${id}/headers`)).body["headers"]).toEqual({
      "X-Tenant": "example.com",
    });
  });

  test("sign-in, signatures and schedule are saved, and the connection test names what failed", async () => {
    await api("PUT", "/v1/secrets/shop_token", { value: "token-of-the-shop" });
    const page = await started.open(`/endpoints/${id}?tab=settings`);
    await page.getByRole("button", { name: /Sign-in$/ }).click();
    await page.getByRole("option", { name: "Bearer token" }).click();
    await page.getByRole("combobox", { name: "Secret name" }).fill("nowhere");
    await page.getByLabel("Retry schedule").fill("soon");
    await page.getByRole("button", { name: "Save sign-in" }).click();
    await page
      .getByText(/must be >= 1|at least 1|minimum/i)
      .first()
      .waitFor();
    await page.getByLabel("Retry schedule").fill("30s, 5m");
    await page.getByRole("button", { name: "Save sign-in" }).click();
    await page.getByText(/names the secret nowhere/i).waitFor();
    await page.getByRole("combobox", { name: "Secret name" }).fill("shop_token");
    await page.getByText("Ed25519 public key (v1a)").click();
    await page.getByRole("button", { name: "Save sign-in" }).click();
    await expect
      .poll(async () => (await api("GET", `/v1/webhook-endpoints/${id}`)).body)
      .toMatchObject({
        auth: { type: "bearer", secret_ref: "shop_token" },
        signatures: ["service", "standard", "ed25519"],
        retry_schedule: [30, 300],
        public_key: expect.stringMatching(/^whpk_/) as unknown,
      });
    await page.getByRole("button", { name: "Test connection" }).click();
    await page.getByText("The receiver answered 200.").waitFor();
    await api("DELETE", "/v1/secrets/shop_token");
    await page.getByRole("button", { name: "Test connection" }).click();
    await page.getByText(/^Sign-in: The secret shop_token is not set/).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await api("PATCH", `/v1/webhook-endpoints/${id}`, {
      auth: null,
      signatures: ["service", "standard"],
      retry_schedule: null,
    });
  });

  test("a filter is edited by fields and as JSON, previewed and explained", async () => {
    const { id: filtered } = await started.service.endpoint(`${inboxUrl}?filtered`, {
      events: ["parcel.weighed"],
      description: "Heavy parcels",
    });
    const [light] = await Promise.all(
      [400, 1250].map(async (grams) => await started.service.fire("parcel.weighed", { grams })),
    );
    const page = await started.open(`/endpoints/${filtered}?tab=filter`);
    await page.getByText("Only events that meet a condition").click();
    await page.getByRole("button", { name: "Add condition" }).click();
    await page.getByLabel("Field", { exact: true }).fill("contact.score");
    await page.getByLabel("Value", { exact: true }).fill("9007199254740993");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByText(/must begin with one of event, data/i).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByLabel("Field", { exact: true }).fill("data.grams");
    await page.getByText("JSON", { exact: true }).click();
    const json = page.getByLabel("Filter as JSON");
    expect(await json.inputValue()).toContain("9007199254740993");
    await json.fill("{");
    await page.getByText("Enter a valid JSON object.").waitFor();
    await json.fill('{"all":[{"field":"data.grams","op":"gte","value":1000}]}');
    await page.getByText("Fields", { exact: true }).click();
    await expect.poll(async () => await page.getByLabel("Value", { exact: true }).inputValue()).toBe("1000");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByText(/subscribes to 2, and 1 of them/).waitFor();
    await page.getByRole("button", { name: "Save filter" }).click();
    await page.getByText("Filter saved. It applies to new events.").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect((await api("GET", `/v1/webhook-endpoints/${filtered}`)).body["filter"]).toEqual({
      all: [{ field: "data.grams", op: "gte", value: 1000 }],
    });
    await page.getByRole("tab", { name: "Overview" }).click();
    await page.getByText("data.grams is at least 1000").waitFor();
    await page.goto(new URL(`/events/${light?.["id"]}`, page.url()).href);
    await page.getByRole("button", { name: /Select an endpoint/ }).click();
    await page.getByRole("option").filter({ hasText: "Heavy parcels" }).click();
    await page.getByRole("button", { name: "Explain", exact: true }).click();
    await page.getByRole("status", { name: "Explanation" }).getByText("Not passed").waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  test("header values are hidden, stay when saved, and are shown to owners", async () => {
    const headers = { Authorization: "Bearer of-the-receiver", "X-Team": "billing" };
    const { id: sealed } = await started.service.endpoint(`${inboxUrl}?sealed`, { headers });
    const revealed = async (): Promise<unknown> =>
      (await api("GET", `/v1/webhook-endpoints/${sealed}/headers`)).body["headers"];
    const page = await started.open(`/endpoints/${sealed}?tab=settings`);
    // The headers are in the order of the database, in which the shorter name is first.
    await page.getByLabel("Value 1").fill("shipping");
    expect(await page.getByLabel("Value 2").getAttribute("placeholder")).toBe("Hidden");
    expect(await page.content()).not.toContain("of-the-receiver");
    await page.getByRole("button", { name: "Save settings" }).click();
    await page.getByText("Endpoint saved. The next attempt uses the new settings.").waitFor();
    expect(await revealed()).toEqual({ ...headers, "X-Team": "shipping" });
    await expect.poll(async () => await page.getByLabel("Value 1").inputValue()).toBe("");
    await page.getByRole("button", { name: "Show header values" }).click();
    await page.getByLabel("Authorization", { exact: true }).getByText("Bearer of-the-receiver").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Hide header values" }).click();
    await page.getByLabel("URL").fill(`${inboxUrl}?elsewhere`);
    await page.getByRole("button", { name: "Save settings" }).click();
    await page.getByText(/Authorization: Must be the actual value/).waitFor();
    expect(await revealed()).toEqual({ ...headers, "X-Team": "shipping" });
  });

  test("a developer is not shown header values, and keeps them when saving", async () => {
    const headers = { Authorization: "Bearer of-the-receiver" };
    const { id: sealed } = await started.service.endpoint(`${inboxUrl}?kept`, { headers });
    const { email, password } = await joined(started.service, "developer");
    const page = await started.open(`/endpoints/${sealed}?tab=settings`, { as: { email, password } });
    await page.getByText("Only owners can show header values.").waitFor();
    await page.getByLabel("Description").fill("changed");
    await page.getByRole("button", { name: "Save settings" }).click();
    await page.getByText("Endpoint saved. The next attempt uses the new settings.").waitFor();
    const { body } = await api("GET", `/v1/webhook-endpoints/${sealed}/headers`);
    expect(body["headers"]).toEqual(headers);
  });

  test("an endpoint is deleted after its host was typed", async () => {
    const { id: doomed } = await started.service.endpoint(`${inboxUrl}?doomed`);
    const page = await started.open(`/endpoints/${doomed}?tab=settings`);
    await page.getByRole("button", { name: "Delete endpoint" }).click();
    const dialog = page.getByRole("alertdialog");
    await expect
      .poll(async () => await dialog.getByRole("button", { name: "Delete endpoint" }).isDisabled())
      .toBe(true);
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.type(new URL(inboxUrl).host);
    await dialog.getByRole("button", { name: "Delete endpoint" }).press("Enter");
    await page.waitForURL("**/endpoints");
    expect((await api("GET", `/v1/webhook-endpoints/${doomed}`)).status).toBe(404);
  });

  test("the tester posts to the built-in inbox, breaks it, and shows what it received", async () => {
    const page = await started.open("/tester");
    await page.getByText("No requests yet").waitFor();
    await page.getByLabel("Data").focus();
    await tabTo(page, "Send test");
    await page.keyboard.press("Enter");
    await page.getByRole("status").getByText("Delivered", { exact: true }).waitFor();
    await page.getByText("Signature valid").waitFor();
    await page.getByText("Fail the next 3 requests, then recover").click();
    await page.getByText("Simulating failures").waitFor();
    await page.getByRole("button", { name: "Send test", exact: true }).click();
    await page.getByText("The receiver failed.").waitFor();
    await page.getByRole("button", { name: "order.created", expanded: false }).first().click();
    await page.getByRole("tree", { name: "Received body" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  test("at 320 px nothing overflows, and a role without permission is shown why", async () => {
    const { email, password } = await joined(started.service, "viewer");
    const page = await started.open(`/endpoints/${id}?tab=settings`, { width: 320, as: { email, password } });
    await page.getByText("Owners can show every secret").waitFor();
    await expect.poll(async () => await page.getByRole("button", { name: "Save settings" }).isDisabled()).toBe(true);
    expect(await overflowsSideways(page)).toBe(false);
    await page.getByRole("tab", { name: "Activity" }).click();
    await page.getByText("You don't have permission").waitFor();
    const tester = await started.open("/tester", { width: 320, as: { email, password } });
    await tester.getByText("You don't have permission").waitFor();
    expect(await overflowsSideways(tester)).toBe(false);
  });

  test("edited settings are asked about before another page, and a dialog before it closes", async () => {
    const page = await started.open("/settings");
    const name = page.getByRole("form", { name: "Workspace settings" }).getByLabel("Name");
    await name.fill("Renamed");
    await page.getByRole("link", { name: "Endpoints" }).click();
    const asked = page.getByRole("alertdialog", { name: "Leave without saving?" });
    await asked.getByRole("button", { name: "Cancel" }).click();
    expect(await name.inputValue()).toBe("Renamed");
    await page.getByRole("link", { name: "Endpoints" }).click();
    await asked.getByRole("button", { name: "Discard changes" }).click();
    await page.getByRole("heading", { name: "Endpoints", level: 1 }).waitFor();
    await page.getByRole("button", { name: "Create endpoint" }).first().click();
    await page.getByLabel("Description").fill("long");
    await page.keyboard.press("Escape");
    const closing = page.getByRole("alertdialog", { name: "Close without saving?" });
    await closing.waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await closing.getByRole("button", { name: "Cancel" }).click();
    expect(await page.getByLabel("Description").inputValue()).toBe("long");
    await page.getByRole("dialog", { name: "Create endpoint" }).getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  test("without endpoints the list says what to do", async () => {
    const fresh = await started.open("/endpoints", { environment: "sandbox" });
    await fresh.getByRole("heading", { name: "No endpoints yet" }).waitFor();
    expect(await faultsOf(fresh)).toEqual([]);
  });
});
