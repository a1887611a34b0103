import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FrameLocator } from "playwright-core";
import { startHost } from "../../../../tools/docs/portal-hosts.ts";
import type { Counterpart } from "../../../../tools/counterparts/counterpart.ts";
import { cutOff, faultsOf, hasNoBrowser, overflowsSideways, startConsole } from "../testing/testing.ts";
import type { Page, TestConsole } from "../testing/testing.ts";

const CAPABILITIES = [
  "endpoints",
  "deliveries",
  "replay",
  "filters",
  "transforms",
  "event_types",
  "secrets",
  "tester",
  "mcp_tokens",
];
/** The names that the tests themselves store in every frame. */
const STORED = ["junction.scope"];

describe.skipIf(hasNoBrowser)("the portal in a page of another site", { timeout: 180_000 }, () => {
  let started: TestConsole;
  let host: Counterpart;
  let inboxUrl: string;

  const api = async (method: string, path: string, body?: unknown) => await started.service.api(method, path, body);

  beforeAll(async () => {
    started = await startConsole();
    const { baseUrl, key } = started.service;
    host = await startHost("js", { JUNCTION_BASE_URL: baseUrl, JUNCTION_API_KEY: key });
    await api("PATCH", "/v1/workspaces/current", { settings: { portal_origins: [host.url] } });
    inboxUrl = (await api("PUT", "/v1/inboxes/portal")).body["url"];
    await api("POST", "/v1/webhook-endpoints", { url: inboxUrl, events: ["*"], description: "Not theirs" });
  });
  afterAll(async () => {
    await host.stop();
    await started.close();
  });

  async function opened(options: { readonly width?: number } = {}): Promise<{ page: Page; frame: FrameLocator }> {
    const console_ = await started.open("/sign-in", { as: null, ...options });
    await console_.context().clearCookies();
    // A tab of its own, because the console's pages store where they were scrolled to.
    const page = await console_.context().newPage();
    await page.goto(host.url);
    const frame = page.frameLocator("junction-portal iframe");
    await frame.getByRole("heading", { name: "Endpoints", level: 1 }).waitFor();
    return { page, frame };
  }

  /** Revokes all sessions that are open. */
  async function revokeAll(): Promise<void> {
    const { body } = await api("GET", "/v1/portal-sessions?limit=100");
    for (const { id, state } of body["data"] as readonly { id: string; state: string }[])
      if (state === "active" || state === "waiting") await api("POST", `/v1/portal-sessions/${id}/revoke`);
  }

  test("a customer creates an endpoint, and sees the delivery of an event", async () => {
    const { page, frame } = await opened();
    await frame.getByRole("button", { name: "Create endpoint" }).first().click();
    await frame.getByLabel("URL").fill(inboxUrl);
    await frame.getByRole("dialog").getByRole("button", { name: "Create endpoint" }).click();
    await frame.getByText(/^whsec_/).waitFor();
    await page.keyboard.press("Escape");
    expect(await frame.getByText("Not theirs").count()).toBe(0);
    const { body } = await api("GET", "/v1/webhook-endpoints?tenant=acme");
    expect(body["data"]).toMatchObject([{ tenant: "acme", url: inboxUrl }]);
    await api("POST", "/v1/events/fire", { event: "order.created", tenant: "acme", data: {} });
    await frame.getByRole("link", { name: "Deliveries" }).click();
    await frame.getByText("order.created").first().waitFor();
  });

  test("the frame stores nothing, and keeps no token in its address", async () => {
    const { page } = await opened();
    expect(await page.context().cookies()).toEqual([]);
    const [, inner] = page.frames();
    expect(inner?.url()).toMatch(/\/portal\/\?workspace=ws_\w+$/);
    expect(await inner?.evaluate("Object.keys({ ...localStorage, ...sessionStorage })")).toEqual(STORED);
  });

  test("the element renews an ended session, and the customer stays in the portal", async () => {
    const { frame } = await opened();
    await frame.getByRole("link", { name: "Event types" }).click();
    await frame.getByRole("heading", { name: "Event types", level: 1 }).waitFor();
    await revokeAll();
    await frame.getByRole("link", { name: "Deliveries" }).click();
    await frame.getByRole("heading", { name: "Deliveries", level: 1 }).waitFor();
    const active = async (): Promise<number> => {
      const { body } = await api("GET", "/v1/portal-sessions?limit=100");
      return body["data"].filter(({ state }: { state: string }) => state === "active").length;
    };
    await expect.poll(active).toBeGreaterThan(0);
  });

  test("unlisted sites cannot frame it, and a used link shows its end", async () => {
    const { body } = await api("POST", "/v1/portal-sessions", { tenant: "acme", capabilities: ["endpoints"] });
    await api("PATCH", "/v1/workspaces/current", { settings: { portal_origins: [] } });
    const page = await started.open("/sign-in", { as: null });
    await page.goto(host.url);
    await page.waitForTimeout(3000);
    expect(await page.frameLocator("junction-portal iframe").getByRole("heading", { name: "Endpoints" }).count()).toBe(
      0,
    );
    await api("PATCH", "/v1/workspaces/current", { settings: { portal_origins: [host.url] } });
    await page.goto(body["url"]);
    await page.getByRole("heading", { name: "Endpoints", level: 1 }).waitFor();
    const second = await started.open("/sign-in", { as: null });
    await second.goto(body["url"]);
    await second.getByRole("heading", { name: "This session has ended" }).waitFor();
    expect(await faultsOf(second)).toEqual([]);
  });

  test("the element takes sessions of its own site alone, and shows no other site", async () => {
    const { page } = await opened();
    const answers = [
      "javascript:alert(1)",
      "https://evil.example/portal/",
      `${host.url}/portal/`,
      `${started.service.baseUrl}/docs`,
      7,
    ];
    const answered = answers.map((url) => ({ address: "/webhooks/answer", answer: JSON.stringify({ url }) }));
    const addresses = [
      "javascript:alert(1)",
      `data:application/json,{"url":"x"}`,
      `${started.service.baseUrl}/livez`,
      "//evil.example/session",
    ];
    for (const { address, answer } of [...answered, ...addresses.map((one) => ({ address: one, answer: "{}" }))]) {
      await page.route(
        "**/webhooks/answer",
        async (route) => await route.fulfill({ body: answer, contentType: "application/json" }),
      );
      const shown = await page.evaluate<string[]>(`new Promise((resolve) => {
        const element = document.createElement("junction-portal");
        element.setAttribute("session-url", ${JSON.stringify(address)});
        const done = ({ type }) => {
          resolve([type, element.shadowRoot.querySelector("iframe").getAttribute("src") ?? ""]);
          element.remove();
        };
        element.addEventListener("junction-portal-error", done);
        element.addEventListener("junction-portal-session", done);
        document.body.append(element);
      })`);
      expect([address, answer, shown]).toEqual([address, answer, ["junction-portal-error", ""]]);
      await page.unroute("**/webhooks/answer");
    }
  });

  /** Opens the portal of a customer with an endpoint whose deliveries fail and succeed. */
  async function furnished(options: { readonly width?: number } = {}): Promise<Page> {
    await api("POST", "/v1/event-types", { name: "parcel.sent", title: "Parcel sent", examples: [{ parcel: "p1" }] });
    await api("POST", "/v1/event-types", { name: "parcel.priced", visibility: "private" });
    const given = { events: ["*"], tenant: "furnished" };
    const { id } = (await api("POST", "/v1/webhook-endpoints", { ...given, url: inboxUrl, description: "Good" })).body;
    await api("POST", "/v1/webhook-endpoints", { ...given, url: "http://127.0.0.1:9/gone", description: "Bad" });
    await api("PATCH", `/v1/webhook-endpoints/${id}`, { transform: { kind: "template", body: { a: "${$.event}" } } });
    await api("POST", "/v1/events/fire", { event: "parcel.sent", tenant: "furnished", data: { parcel: "p1" } });
    const { body } = await api("POST", "/v1/portal-sessions", {
      tenant: "furnished",
      capabilities: [...CAPABILITIES],
      theme: { accent: "#f5d142", radius: 0 },
    });
    const page = await started.open("/sign-in", { as: null, ...options });
    await page.goto(body["url"]);
    await page.getByRole("link", { name: /inbox/ }).first().waitFor();
    return page;
  }

  /** Visits each page, tab and dialog of the portal. */
  async function everywhere(page: Page, look: (place: string) => Promise<void>): Promise<void> {
    const visit = async (name: string): Promise<void> => {
      await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
      await page.getByRole("heading", { name, level: 1 }).waitFor();
      await calm(page);
      await look(name);
    };
    await visit("Endpoints");
    await page.getByRole("button", { name: "Create endpoint" }).first().click();
    await page.getByText("Selected event types", { exact: true }).click();
    await look("the dialog of a new endpoint");
    await page.getByText("All event types", { exact: true }).last().click();
    await page.getByLabel("URL").fill(`${inboxUrl}?new`);
    await page.getByRole("dialog").getByRole("button", { name: "Create endpoint" }).click();
    await page.getByText(/^whsec_/).waitFor();
    for (const tab of await page.getByRole("tab").all()) {
      await tab.click();
      await look(`the sample in ${await tab.innerText()}`);
    }
    await page.keyboard.press("Escape");
    for (const description of ["Good", "Bad"]) {
      await visit("Endpoints");
      await page.getByRole("row").filter({ hasText: description }).getByRole("link").first().click();
      for (const name of ["Overview", "Deliveries", "Test", "Filter", "Transform", "Settings"]) {
        await page.getByRole("tab", { name, exact: true }).click();
        await calm(page);
        await look(`${name} of ${description}`);
      }
      expect(await page.getByRole("tab", { name: "Activity" }).count()).toBe(0);
      await page.getByRole("tab", { name: "Deliveries", exact: true }).click();
      await page.getByRole("tabpanel").getByRole("link", { name: "parcel.sent" }).first().click();
      await page.getByRole("heading", { name: "parcel.sent", level: 1 }).waitFor();
      await calm(page);
      await look(`a delivery to ${description}`);
    }
    await visit("Deliveries");
    await visit("Event types");
    expect(await page.getByRole("main").getByText("parcel.priced").count()).toBe(0);
    await page.getByRole("link", { name: "parcel.sent", exact: true }).click();
    await page.getByRole("heading", { name: "parcel.sent", level: 1 }).waitFor();
    await look("an event type");
    await visit("Assistants");
    await page.getByRole("button", { name: "Connect an assistant" }).click();
    await page.getByLabel("Name").fill("Claude");
    await look("the dialog of a new assistant");
    await page.getByRole("button", { name: "Create token" }).click();
    await page.getByText(/^jn_live_/).waitFor();
    await look("the token of an assistant");
    await page.getByRole("button", { name: "I have copied the token" }).click();
    await page.getByRole("cell", { name: "Claude" }).first().waitFor();
    await look("the list of assistants");
  }

  async function calm(page: Page): Promise<void> {
    await expect.poll(async () => await page.locator("[role=status][aria-label^=Loading]").count()).toBe(0);
  }

  test("no page of it speaks to the customer as to an operator", async () => {
    const page = await furnished();
    const words =
      /junction|tenant|owner|operator can|workspace|your role|audit|system event|console|\b(?:key|mem)_[0-9a-z]{8}/gi;
    const found: string[] = [];
    await everywhere(page, async (place) => {
      // Requests are shown byte for byte, so their names are those of the wire. Samples must not need the SDK.
      const [text = "", code = ""] = await page.evaluate<string[]>(`(() => {
        const [body, parts] = [document.body.cloneNode(true), "pre, [role=tree]"];
        const code = [...body.querySelectorAll("[aria-label^=Verify] , [aria-label^=Install]")].map((one) => one.textContent).join(" ");
        const hints = [...body.querySelectorAll("[placeholder]")].map((one) => one.getAttribute("placeholder"));
        for (const one of body.querySelectorAll(parts)) one.remove();
        return [body.textContent + hints.join(" "), code];
      })()`);
      for (const [word] of text.matchAll(words)) found.push(`${place}: ${word}`);
      if (/junction/i.test(code)) found.push(`${place}: a sample needs the SDK`);
    });
    expect([...new Set(found)]).toEqual([]);
  });

  test("its pages have no faults of accessibility, also at 320 pixels", async () => {
    const page = await furnished({ width: 320 });
    const found: string[] = [];
    await everywhere(page, async (place) => {
      found.push(...(await faultsOf(page)).map((fault) => `${place}: ${fault}`));
      if (await overflowsSideways(page)) found.push(`${place} is too wide`);
      const strips = `[...document.querySelectorAll("[role=tablist], nav ul")].filter((one) => one.scrollHeight > one.clientHeight).length`;
      if ((await page.evaluate<number>(strips)) > 0) found.push(`${place} has a strip that scrolls down`);
    });
    expect(found).toEqual([]);
  });

  test("on a phone, nothing is cut off or scrolls sideways", async () => {
    const page = await furnished({ width: 390 });
    const found: string[] = [];
    await everywhere(page, async (place) => {
      if (await overflowsSideways(page)) found.push(`${place} is too wide`);
      found.push(...(await cutOff(page)).map((one) => `${place} cuts off ${one}`));
    });
    expect(found).toEqual([]);
  });

  test("a customer connects an assistant, whose token works until it is revoked", async () => {
    const page = await furnished();
    await page.getByRole("link", { name: "Assistants" }).click();
    await page.getByRole("button", { name: "Connect an assistant" }).click();
    await page.getByLabel("Name").fill("Cursor");
    await page.getByRole("checkbox", { name: "Send tests" }).press("Space");
    await page.getByRole("button", { name: "Create token" }).click();
    const token = await page.getByText(/^jn_live_/).innerText();
    expect(await page.getByLabel("Address", { exact: true }).innerText()).toBe(
      `${started.service.baseUrl}/mcp?toolset=operator`,
    );
    await page.getByRole("button", { name: "I have copied the token" }).click();
    const listed = async (): Promise<number> => {
      const message = { jsonrpc: "2.0", id: 1, method: "tools/list" };
      const headers = { "MCP-Protocol-Version": "2025-11-25" };
      return (await started.service.api("POST", "/mcp?toolset=operator", message, { key: token, headers })).status;
    };
    expect(await listed()).toBe(200);
    const row = page.getByRole("row").filter({ hasText: "Cursor" });
    await row.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click();
    await row.getByText("revoked").waitFor();
    expect(await listed()).toBe(401);
    const console_ = await started.open("/tenants/furnished");
    await console_.getByRole("row").filter({ hasText: "Cursor" }).getByText("revoked").waitFor();
    expect(await faultsOf(console_)).toEqual([]);
  });

  test("unsaved changes outlive another tab, and are asked about on another page", async () => {
    const page = await furnished();
    await page.getByRole("row").filter({ hasText: "Good" }).getByRole("link").first().click();
    await page.getByRole("tab", { name: "Filter" }).click();
    await page.getByText("Only events that meet a condition").click();
    await page.getByRole("button", { name: "Add condition" }).click();
    await page.getByLabel("Field", { exact: true }).fill("data.parcel");
    await page.getByRole("tab", { name: "Overview" }).click();
    await page.getByRole("tab", { name: "Filter" }).click();
    expect(await page.getByLabel("Field", { exact: true }).inputValue()).toBe("data.parcel");
    await page.getByRole("link", { name: "Event types" }).click();
    await page.getByRole("alertdialog", { name: "Leave without saving?" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByLabel("Value", { exact: true }).fill("p1");
    await page.getByRole("button", { name: "Save filter" }).click();
    await page.getByText("Filter saved. It applies to new events.").waitFor();
    await page.getByRole("link", { name: "Event types" }).click();
    await page.getByRole("heading", { name: "Event types", level: 1 }).waitFor();
  });

  test("it has the workspace's name and logo, and charts in the colors of states", async () => {
    const console_ = await started.open("/settings");
    await console_.getByLabel("Title in the portal").fill("Acme Hooks");
    const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
    await console_
      .getByLabel("Logo file")
      .setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: Buffer.from(picture, "base64") });
    await console_.getByAltText("Present logo").waitFor();
    expect(await faultsOf(console_)).toEqual([]);
    await console_.getByRole("button", { name: "Save portal" }).click();
    await console_.getByText("Portal settings saved.").waitFor();
    const page = await furnished();
    await page.getByRole("banner").getByText("Acme Hooks").waitFor();
    expect(await page.locator("header img").getAttribute("src")).toBe(`data:image/png;base64,${picture}`);
    await page.getByRole("row").filter({ hasText: "Bad" }).getByRole("link").first().click();
    const inks = page.getByRole("figure").locator("p line");
    await expect
      .poll(async () => await inks.evaluateAll((all) => all.map((one) => one.getAttribute("stroke"))))
      .toEqual(["var(--good)", "var(--bad)"]);
    expect(await faultsOf(page)).toEqual([]);
  });

  test("an operator chooses the event types that customers see in one list", async () => {
    await furnished();
    const page = await started.open("/event-types?view=customers");
    const seen = async (name: string): Promise<unknown> =>
      (await api("GET", `/v1/event-types/${name}`)).body["visibility"];
    const change = async (name: string): Promise<void> =>
      await page
        .getByRole("switch", { name: `Show ${name} to customers`, exact: true, disabled: false })
        .press("Space");
    await page.getByRole("row").filter({ hasText: "parcel.priced" }).waitFor();
    expect(await page.getByText("action.proposed").count()).toBe(0);
    expect(await faultsOf(page)).toEqual([]);
    await change("csat.received");
    await expect.poll(async () => await seen("csat.received")).toBe("public");
    await page.getByText(/^Customers see \d+ event types$/).waitFor();
    await change("csat.received");
    await expect.poll(async () => await seen("csat.received")).toBe("private");
    await page.getByRole("button", { name: "Preview portal" }).waitFor();
  });
});
