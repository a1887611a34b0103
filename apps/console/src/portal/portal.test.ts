import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FrameLocator } from "playwright-core";
import { startHost } from "../../../../tools/docs/portal-hosts.ts";
import type { PortalHost } from "../../../../tools/docs/portal-hosts.ts";
import { faultsOf, hasNoBrowser, overflowsSideways, startConsole } from "../testing/testing.ts";
import type { Page, TestConsole } from "../testing/testing.ts";

/** The names that the tests themselves store in every frame. */
const STORED = ["junction.scope"];

describe.skipIf(hasNoBrowser)("the portal in a page of another site", { timeout: 180_000 }, () => {
  let started: TestConsole;
  let host: PortalHost;
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
    const { body } = await api("GET", "/v1/portal-sessions?limit=100");
    expect(body["data"].filter(({ state }: { state: string }) => state === "active")).not.toEqual([]);
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

  test("its pages have no faults of accessibility, also at 320 pixels", async () => {
    const { body } = await api("POST", "/v1/portal-sessions", {
      tenant: "acme",
      capabilities: ["endpoints", "deliveries", "filters", "transforms", "event_types", "secrets", "tester"],
      theme: { accent: "#f5d142", radius: 0 },
    });
    const page = await started.open("/sign-in", { as: null, width: 320 });
    await page.goto(body["url"]);
    for (const name of ["Endpoints", "Deliveries", "Event types"]) {
      await page.getByRole("link", { name, exact: true }).click();
      await page.getByRole("heading", { name, level: 1 }).waitFor();
      expect([name, await faultsOf(page)]).toEqual([name, []]);
      expect([name, await overflowsSideways(page)]).toEqual([name, false]);
    }
  });
});
