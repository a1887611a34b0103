import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { joined } from "../../../../service/src/testing/people.ts";
import { openStream } from "../../../../service/src/testing/stream.ts";
import { faultsOf, hasNoBrowser, overflowsSideways, startConsole, tabTo } from "../../testing/testing.ts";
import type { Page, TestConsole } from "../../testing/testing.ts";

const HOSTILE = `<script>window.hacked = true</script><img src=x onerror="window.hacked=true"> \u202Egnp.exe 🎉 ${"long".repeat(2500)}`;

describe.skipIf(hasNoBrowser)("the delivery log and a delivery", { timeout: 180_000 }, () => {
  let started: TestConsole;
  let goodUrl: string;
  let badUrl: string;
  let badId: string;

  const api = async (method: string, path: string, body?: unknown) => await started.service.api(method, path, body);
  const inbox = async (name: string): Promise<string> => (await api("PUT", `/v1/inboxes/${name}`)).body["url"];
  const behave = async (url: string, behaviour: object): Promise<void> => {
    const told = await fetch(`${url}/behaviour`, {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(behaviour),
    });
    expect(told.status).toBe(200);
  };
  /** Fires an event, and waits until the failing endpoint's delivery has failed. */
  const failed = async (event = "order.created"): Promise<string> => {
    const fired = await started.service.fire(event, { order: { external_id: "10482" }, note: "<b>bold</b>" });
    const { id } = fired["deliveries"].find((one: { endpoint_id: string }) => one.endpoint_id === badId);
    await started.service.until(`/v1/deliveries/${id}`, (body) => body["state"] === "failed");
    return id;
  };
  const grid = (page: Page) => page.getByRole("grid", { name: "Deliveries" });
  const rows = (page: Page) => grid(page).getByRole("row").filter({ hasNotText: "Attempts" });

  /** Waits until the stream is open and earlier changes have been read. */
  const upToDate = async (page: Page): Promise<void> => {
    await page.getByText("Connected", { exact: true }).waitFor();
    await page.locator('[role="status"][aria-busy="false"]').waitFor({ state: "attached" });
  };

  /** The log's next page is read at once and shown only when `heard` is resolved. */
  const holdNextPage = async (page: Page) => {
    const read = Promise.withResolvers<void>();
    const heard = Promise.withResolvers<void>();
    await page.route(
      "**/v1/deliveries?**",
      async (route) => {
        const answer = await route.fetch();
        read.resolve();
        await heard.promise;
        await route.fulfill({ response: answer });
      },
      { times: 1 },
    );
    return { read, heard };
  };

  beforeAll(async () => {
    started = await startConsole({ env: { JUNCTION_RETRY_LADDER: "20ms,20ms,20ms,20ms,20ms" } });
    [goodUrl, badUrl] = [await inbox("good"), await inbox("bad")];
    await behave(badUrl, { status: 503 });
    await started.service.endpoint(goodUrl, { description: "Takes all" });
    ({ id: badId } = await started.service.endpoint(badUrl, {
      description: "Fails",
      events: ["order.created", "order.paid"],
    }));
  });
  afterAll(async () => await started.close());

  covers(
    ["replay.manual.one-click", "deliver.state.any-success"],
    "one click in the log replays a failed delivery, and its row becomes Delivered",
    async () => {
      const id = await failed();
      const page = await started.open(`/deliveries?q=${id}`);
      await rows(page).getByText("Failed").waitFor();
      await behave(badUrl, { status: 200 });
      await page.getByRole("button", { name: "Replay order.created" }).click();
      await rows(page).getByText("Delivered").waitFor();
      await behave(badUrl, { status: 503 });
    },
  );

  test("an event fired while the log's first page loads appears in the log", async () => {
    const page = await started.open("/account");
    await page.getByText("Connected", { exact: true }).waitFor();
    const { read, heard } = await holdNextPage(page);
    await page.getByRole("link", { name: "Deliveries" }).click();
    await read.promise;
    const news = await openStream(started.service, "?kinds=delivery");
    await started.service.fire("late.one", {});
    await news.until(({ data }) => data.event === "late.one" && data.state === "delivered");
    news.leave();
    heard.resolve();
    // The page may get the change a moment later than the test. Then the pill announces it, and a click shows it.
    const row = rows(page).filter({ hasText: "late.one" }).first();
    const announced = page.getByRole("button", { name: "1 new" });
    await row.or(announced).waitFor();
    if (await announced.isVisible()) await announced.click();
    await row.waitFor();
  });

  test("by keyboard alone: filter, move, select, open, replay", async () => {
    const id = await failed("order.paid");
    const page = await started.open("/deliveries");
    await grid(page).waitFor();
    await tabTo(page, "State");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Filter: State" }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("option", { name: "Failed" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press("f");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/deliveries?state=failed");
    await tabTo(page, "Deliveries", "grid");
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Replay 1 selected" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Replay all matching" }).waitFor();
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/deliveries/${id}`);
    await page.getByText("Failed after").waitFor();
    await tabTo(page, "Replay");
    await page.keyboard.press("Enter");
    await page.getByText("Replay started.").waitFor();
    await started.service.until(`/v1/deliveries/${id}`, (body) => body["attempt_count"] === 7);
  });

  test("deliveries that arrive while viewing wait behind a pill, and the list stays still", async () => {
    await started.service.fire("invoice.paid", {});
    const page = await started.open("/deliveries?event=invoice.paid");
    await grid(page).waitFor();
    await upToDate(page);
    const before = await rows(page).count();
    await started.service.fire("invoice.paid", {});
    await page.getByRole("button", { name: "1 new" }).click();
    await expect.poll(async () => await rows(page).count()).toBe(before + 1);
    expect(await page.getByRole("button", { name: "1 new" }).count()).toBe(0);
  });

  test("deliveries that arrive while the newest page is reloaded wait behind a pill too", async () => {
    const page = await started.open("/deliveries?event=refund.created");
    await upToDate(page);
    await started.service.fire("refund.created", {});
    await page.getByRole("button", { name: "1 new" }).waitFor();
    const { read, heard } = await holdNextPage(page);
    await page.getByRole("button", { name: "1 new" }).click();
    await read.promise;
    await started.service.fire("refund.created", {});
    await page.getByRole("button", { name: "2 new" }).waitFor();
    heard.resolve();
    await expect.poll(async () => await rows(page).count()).toBe(1);
    await page.getByRole("button", { name: "1 new" }).click();
    await expect.poll(async () => await rows(page).count()).toBe(2);
  });

  test("all matching deliveries are counted, then replayed with progress that has its own link", async () => {
    await Promise.all([failed("order.paid"), failed("order.paid")]);
    const page = await started.open(`/deliveries?state=failed&event=order.paid&endpoint=${badId}`);
    await grid(page).waitFor();
    const { body } = await api("POST", "/v1/replays", {
      filter: { state: "failed", event: "order.paid", endpoint_id: badId },
      dry_run: true,
    });
    await page.getByRole("button", { name: "Replay all matching" }).click();
    await page.getByRole("button", { name: `Replay ${body["count"]}` }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: `Replay ${body["count"]}` }).click();
    await page.getByText(`Replay started for ${body["count"]} of ${body["count"]} deliveries. See the log`).waitFor();
    expect(page.url()).toMatch(/replay=job_/);
    await page.keyboard.press("Escape");
    await page.waitForURL((url) => !url.search.includes("replay="));
  });

  test("every filter stands in the URL and is asked of the service", async () => {
    const id = await failed();
    const filters = `class=5xx&code=503&error=http_status&attempt=6&payload=${encodeURIComponent("$.order.external_id=10482")}&since=1h`;
    const page = await started.open(
      `/deliveries?state=failed&event=order.created&endpoint=${badId}&${filters}&q=${id}`,
    );
    await expect.poll(async () => await rows(page).count()).toBe(1);
    await page.getByRole("button", { name: "Clear all" }).click();
    await page.waitForURL((url) => url.search === "");
    await page.getByRole("button", { name: "Show code", exact: true }).click();
    await page.getByRole("dialog").getByText("/v1/deliveries").first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  covers(
    "deliver.log.fields",
    "a delivery shows its failure, the advice, its attempts and its recomputed signatures",
    async () => {
      const id = await failed();
      const page = await started.open(`/deliveries/${id}`);
      await page.getByText("The receiver is unavailable.").first().waitFor();
      expect(await page.getByRole("radio", { name: /Attempt \d/ }).count()).toBe(6);
      await page.getByRole("radio", { name: /Attempt 2/ }).click();
      await page.waitForURL("**?attempt=2");
      await page.getByRole("region", { name: "Attempt 2" }).getByText("127.0.0.1").waitFor();
      await page.getByRole("tab", { name: "Exact bytes" }).click();
      await page.getByRole("region", { name: "Exact bytes of the body" }).getByText("<b>bold</b>").waitFor();
      await page.getByRole("button", { name: "Use endpoint secret" }).click();
      await page.getByText("All 3 signatures match this secret").waitFor();
      expect(await faultsOf(page)).toEqual([]);
      await page.getByLabel("Receiver secret").fill("whsec_bm90IHRoZSBzZWNyZXQ=");
      await page.getByRole("button", { name: "Check signatures" }).click();
      await page.getByText("No signature matches").waitFor();
      await page.getByRole("button", { name: "More actions" }).click();
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole("menuitem", { name: "Copy request as curl" }).click();
      const copied = await page.evaluate<string>("navigator.clipboard.readText()");
      expect(copied).toContain("X-Service-Signature");
      expect(copied).toContain("--data-binary");
    },
  );

  test("what receivers answer is shown and never run, at 320 px too", async () => {
    await behave(badUrl, { status: 503, body: HOSTILE });
    const id = await failed();
    const page = await started.open(`/deliveries/${id}`, { width: 320, height: 640 });
    await page.getByRole("region", { name: "Response body" }).getByText("<script>").waitFor();
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    expect(await overflowsSideways(page)).toBe(false);
    const list = await started.open("/deliveries", { width: 320, height: 640 });
    await grid(list).waitFor();
    expect(await overflowsSideways(list)).toBe(false);
    expect(await faultsOf(list)).toEqual([]);
  });

  test("an empty log explains the next step, with or without filters", async () => {
    const page = await started.open("/deliveries", { environment: "sandbox" });
    await page.getByRole("heading", { name: "No deliveries yet" }).waitFor();
    await page.getByRole("link", { name: "Send test event" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    const other = await started.open("/deliveries?event=never.fired");
    await other.getByRole("button", { name: "Clear filters" }).click();
    await grid(other).waitFor();
  });

  test("a failure names the request, and trying again helps", async () => {
    const page = await started.open("/deliveries?state=delivered");
    await grid(page).waitFor();
    await page.route("**/v1/deliveries?*", async (route) => {
      const problem = { type: "about:blank", title: "Failed.", status: 500, code: "internal_error", retryable: false };
      await route.fulfill({
        status: 500,
        contentType: "application/problem+json",
        headers: { "X-Service-Request-Id": "req_test" },
        body: JSON.stringify(problem),
      });
    });
    await page.reload();
    await page.getByRole("alert").getByText("req_test").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.unroute("**/v1/deliveries?*");
    await page.getByRole("button", { name: "Try again" }).click();
    await grid(page).waitFor();
  });

  test("viewers see disabled replay buttons with a reason; a missing delivery is reported", async () => {
    const id = await failed();
    const { email, password } = await joined(started.service, "viewer");
    const viewer = { email, password };
    const page = await started.open(`/deliveries?q=${id}`, { as: viewer });
    await expect
      .poll(async () => await page.getByRole("button", { name: "Replay order.created" }).isDisabled())
      .toBe(true);
    await expect
      .poll(async () => await page.getByRole("button", { name: "Replay all matching" }).isDisabled())
      .toBe(true);
    const one = await started.open(`/deliveries/${id}`, { as: viewer });
    await one.getByText("Only owners can show an endpoint's secret").waitFor();
    await expect.poll(async () => await one.getByRole("button", { name: "Replay" }).isDisabled()).toBe(true);
    const none = await started.open(`/deliveries/${id.slice(0, -3)}000`);
    await none.getByRole("alert").waitFor();
    expect(await faultsOf(none)).toEqual([]);
  });
});
