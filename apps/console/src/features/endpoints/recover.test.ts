import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { faultsOf, hasNoBrowser, overflowsSideways, startConsole } from "../../testing/testing.ts";
import type { TestConsole } from "../../testing/testing.ts";

describe.skipIf(hasNoBrowser)("after a receiver was down", { timeout: 180_000 }, () => {
  let started: TestConsole;

  const api = async (method: string, path: string, body?: unknown) => await started.service.api(method, path, body);
  const behave = async (url: string, behaviour: object): Promise<void> => {
    const headers = { "Content-Type": "application/json" };
    await fetch(`${url}/behaviour`, { method: "PUT", headers, body: JSON.stringify(behaviour) });
  };

  interface Down {
    readonly endpointId: string;
    readonly url: string;
    readonly event: string;
    readonly eventId: string;
    readonly deliveryId: string;
  }

  /** Makes an endpoint whose first attempt failed, so that its retry waits for a minute. Its receiver works again. */
  async function recovered(name: string): Promise<Down> {
    const { url } = (await api("PUT", `/v1/inboxes/${name}`)).body;
    const event = `down.${name}`;
    const { id: endpointId } = await started.service.endpoint(url, { events: [event], description: name });
    await behave(url, { status: 500 });
    const fired = await started.service.fire(event, { n: 1 });
    const deliveryId = fired["deliveries"][0].id;
    await started.service.until(`/v1/deliveries/${deliveryId}`, (body) => body["attempt_count"] === 1);
    await behave(url, { status: 200 });
    return { endpointId, url, event, eventId: fired["id"], deliveryId };
  }

  const isDelivered = async (id: string): Promise<void> => {
    await started.service.until(`/v1/deliveries/${id}`, (body) => body["state"] === "delivered");
  };

  beforeAll(async () => {
    started = await startConsole();
  });
  afterAll(async () => await started.close());

  test("a delivery that is being retried is sent now, and its attempts are compared", async () => {
    const { deliveryId } = await recovered("now");
    const page = await started.open(`/deliveries/${deliveryId}`);
    await page.getByText("The last attempt failed.").waitFor();
    expect(await page.getByRole("button", { name: "Compare with" }).count()).toBe(0);
    await page.getByRole("button", { name: "Send now" }).click();
    await page.getByText("The retry is made now.").waitFor();
    await isDelivered(deliveryId);
    await page.getByText(/^Delivered: /).waitFor();
    await page.getByRole("button", { name: /Compare with/ }).click();
    await page.getByRole("option", { name: "Attempt 1" }).click();
    await page.getByRole("region", { name: "Attempt 1", exact: true }).waitFor();
    await page.getByRole("region", { name: "Attempt 2", exact: true }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 800 });
    expect(await overflowsSideways(page)).toBe(false);
  });

  test("the list says Retrying, and sends one of its deliveries now, or all", async () => {
    const [one, other] = [await recovered("one"), await recovered("other")];
    const page = await started.open("/deliveries?state=pending");
    const row = page.getByRole("row").filter({ hasText: one.event });
    await row.getByText("Retrying").waitFor();
    await page
      .getByRole("button", { name: /Retrying or pending/ })
      .first()
      .waitFor();
    await row.getByRole("button", { name: `Send now ${one.event}` }).click();
    await isDelivered(one.deliveryId);
    await page.goto(`/deliveries?state=pending&endpoint=${other.endpointId}`);
    await page.getByRole("row").filter({ hasText: other.event }).waitFor();
    await page.getByRole("button", { name: "Replay all matching" }).click();
    await page.getByText("deliveries that wait for a retry match the filters").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Replay 1" }).click();
    await page.getByText(/Replay started for 1 of 1/).waitFor();
    await isDelivered(other.deliveryId);
  });

  test("a cancelled delivery is sent again, in the list too", async () => {
    const { deliveryId, event, endpointId } = await recovered("cancelled");
    await api("POST", `/v1/deliveries/${deliveryId}/cancel`);
    const list = await started.open(`/deliveries?state=cancelled&endpoint=${endpointId}`);
    const replay = list.getByRole("button", { name: `Replay ${event}` });
    await replay.waitFor();
    expect(await replay.isDisabled()).toBe(false);
    const page = await started.open(`/deliveries/${deliveryId}`);
    await page.getByRole("button", { name: "Replay delivery" }).click();
    await isDelivered(deliveryId);
  });

  test("all retries of an endpoint are made now from its page", async () => {
    const { endpointId, deliveryId } = await recovered("all");
    const page = await started.open(`/endpoints/${endpointId}`);
    await page.getByRole("button", { name: "Recover" }).click();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("menuitem", { name: "Retry all now" }).click();
    await page.getByRole("button", { name: "Replay 1" }).click();
    await isDelivered(deliveryId);
  });

  test("off is asked about once, and on offers what the endpoint missed", async () => {
    const { endpointId, event } = await recovered("missed");
    const active = async (): Promise<unknown> =>
      (await api("GET", `/v1/webhook-endpoints/${endpointId}`)).body["active"];
    const page = await started.open(`/endpoints/${endpointId}`);
    await page.getByRole("switch", { disabled: false }).press("Space");
    const asked = page.getByRole("alertdialog", { name: "Turn endpoint off?" });
    await asked.getByText("Events that happen from now on are not delivered to it.").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await asked.getByRole("button", { name: "Cancel" }).click();
    expect(await active()).toBe(true);
    await page.getByRole("switch", { disabled: false }).press("Space");
    await asked.getByRole("button", { name: "Turn off" }).click();
    await expect.poll(active).toBe(false);
    for (const n of [1, 2]) expect((await started.service.fire(event, { n }))["deliveries"]).toEqual([]);
    await started.service.database.query(
      "update endpoint set inactive_since = now() - interval '20 days' where not active",
    );
    await page.reload();
    await page.getByRole("switch", { disabled: false }).press("Space");
    const offer = page.getByRole("dialog", { name: "Send missed events" });
    await offer.getByText("The endpoint has no delivery of 2 events").waitFor();
    await offer.getByText(/The endpoint was turned off 20 days ago/).waitFor();
    await offer.getByRole("button", { name: /The time when it was off/ }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await offer.getByRole("button", { name: "Send 2" }).click();
    await page.getByText(/2 of 2 events were given to the endpoint/).waitFor();
    const delivered = async (): Promise<number> =>
      (await api("GET", `/v1/deliveries?endpoint_id=${endpointId}&state=delivered`)).body["data"].length;
    await expect.poll(delivered, { timeout: 20_000 }).toBe(2);
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Recover" }).click();
    await page.getByRole("menuitem", { name: "Send missed events" }).click();
    await page.getByText("The endpoint has a delivery of each event of this time.").waitFor();
  });

  test("after a 410, turning the endpoint on offers its failed deliveries", async () => {
    const { endpointId, url, event } = await recovered("gone");
    await behave(url, { status: 410 });
    const { id } = (await started.service.fire(event, { n: 2 }))["deliveries"][0];
    await started.service.until(`/v1/deliveries/${id}`, ({ state }) => state === "failed");
    await started.service.until(`/v1/webhook-endpoints/${endpointId}`, ({ active }) => active === false);
    await behave(url, { status: 200 });
    const page = await started.open(`/endpoints/${endpointId}`);
    await page.getByRole("alert").getByText("The receiver responded 410 Gone").waitFor();
    await page.getByRole("switch", { disabled: false }).press("Space");
    await page.getByRole("dialog", { name: "Replay deliveries" }).getByRole("button", { name: "Replay 1" }).click();
    await isDelivered(id);
  });

  test("the page of a failing endpoint says why, and leads to the delivery", async () => {
    const { endpointId, deliveryId } = await recovered("why");
    const page = await started.open(`/endpoints/${endpointId}`);
    const cause = page.getByRole("status").filter({ hasText: "Last failure: 500" });
    await cause.getByText("The receiver failed.").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await cause.getByRole("link", { name: "View the delivery" }).click();
    await page.waitForURL(`**/deliveries/${deliveryId}`);
  });

  test("an event is sent to one endpoint, and its data is edited and sent", async () => {
    const { endpointId, event, eventId, url } = await recovered("single");
    await started.service.endpoint(`${url}?other`, { events: [event], description: "other" });
    const page = await started.open(`/events/${eventId}`);
    await page.getByRole("button", { name: "Send to one endpoint" }).click();
    const dialog = page.getByRole("dialog", { name: "Send to one endpoint" });
    await dialog.getByRole("button", { name: /Select an endpoint/ }).click();
    await page.getByRole("option").filter({ hasText: "single" }).click();
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Send event" }).click();
    await page.getByText("A new delivery of the event was created.").waitFor();
    const { data } = (await api("GET", `/v1/deliveries?q=${eventId}`)).body;
    expect(data.map((one: { endpoint_id: string }) => one.endpoint_id)).toEqual([endpointId, endpointId]);
    await page.getByRole("link", { name: "Edit and send again" }).click();
    await page.getByRole("heading", { name: "Tester" }).waitFor();
    const field = page.getByLabel("Data");
    expect(JSON.parse(await field.inputValue())).toEqual({ n: 1 });
    await field.fill('{"n": 2}');
    await page.getByRole("button", { name: "Send test", exact: true }).click();
    await page.getByRole("status").getByText("Delivered", { exact: true }).waitFor();
    await page.getByRole("tab", { name: "Exact bytes" }).click();
    await page.getByText('"data":{"n":2}').first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  test("the lanes of an endpoint show what blocks them, and continue after a skip", async () => {
    const { url } = (await api("PUT", "/v1/inboxes/lanes")).body;
    const { id } = await started.service.endpoint(url, {
      events: ["lanes.moved"],
      ordering: { key: "$.data.order" },
    });
    await behave(url, { status: 410 });
    const moved = { event: "lanes.moved", data: { order: "o-1" } };
    // Together, because the first one disables the endpoint.
    const { data } = (await api("POST", "/v1/events/batch", { events: [moved, moved] })).body;
    const next = data[1].deliveries[0].id;
    await started.service.until(`/v1/webhook-endpoints/${id}`, (body) => body["active"] === false);
    await behave(url, { status: 200 });
    await api("POST", `/v1/webhook-endpoints/${id}/toggle`);
    const page = await started.open(`/endpoints/${id}?tab=lanes`);
    const row = page.getByRole("row").filter({ hasText: "o-1" });
    await row.getByText(/^Blocked/).waitFor();
    const [lane] = (await api("GET", `/v1/webhook-endpoints/${id}/lanes`)).body["data"];
    expect(await row.getByRole("note").first().getAttribute("datetime")).toBe(lane.blocked_since);
    const head = row.getByRole("link", { name: "410 after 1 attempt" });
    expect(await head.getAttribute("href")).toContain(data[0].deliveries[0].id);
    expect(await faultsOf(page)).toEqual([]);
    await behave(url, { status: 500 });
    await row.getByRole("button", { name: /^Retry/ }).click();
    await row.getByRole("link", { name: "500 after 2 attempts" }).waitFor();
    await behave(url, { status: 200 });
    await row.getByRole("button", { name: /^Skip/ }).click();
    await page.getByRole("button", { name: "Skip", exact: true }).last().click();
    await isDelivered(next);
    await page.getByText("No deliveries wait").waitFor();
  });
});
