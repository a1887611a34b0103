import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { confirmedActionOn, proposalOf } from "../../../../service/src/testing/actions.ts";
import { joined } from "../../../../service/src/testing/people.ts";
import { startReceiver } from "../../../../service/src/testing/receiver.ts";
import type { Receiver } from "../../../../service/src/testing/receiver.ts";
import { makeWorkflow } from "../../../../service/src/testing/workflows.ts";
import { openStream } from "../../../../service/src/testing/stream.ts";
import { faultsOf, hasNoBrowser, overflowsSideways, startConsole, tabTo } from "../../testing/testing.ts";
import type { TestConsole } from "../../testing/testing.ts";

const HOSTILE = `<script>window.hacked = true</script> \u202Emoc.live 🎉 ${"W".repeat(300)}`;

describe.skipIf(hasNoBrowser)("approvals, actions, runs and the audit", () => {
  let started: TestConsole;
  let receiver: Receiver;
  let action: string;

  const propose = async (parameters: object): Promise<{ id: string }> =>
    await proposalOf(started.service, action, { parameters, prompt: "The customer asked for their money back." });
  const state = async (id: string): Promise<string> =>
    (await started.service.api("GET", `/v1/proposals/${id}`)).body["state"];

  beforeAll(async () => {
    receiver = await startReceiver();
    receiver.answer((response) => response.writeHead(200).end('{"refund":"rf_1"}'));
    started = await startConsole();
    action = await confirmedActionOn(started.service, receiver, {
      risk: "high",
      destructive: false,
      label: HOSTILE.slice(0, 180),
    });
  });
  afterAll(async () => {
    await started.close();
    await receiver.close();
  });

  test("an empty queue says what would stand there", async () => {
    const page = await started.open("/approvals");
    await page.getByText("No pending approvals").waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  test("proposals made before the stream opened or during the read appear in the list", async () => {
    const page = await started.open("/account");
    const [stream, fetched, list] = [gate(), gate(), gate()];
    await page.route("**/v1/stream", async (route) => {
      await stream.opened;
      await route.continue();
    });
    await page.goto("/approvals");
    await page.getByText("No pending approvals").waitFor();
    const early = await propose({ order: "ord_early" });
    stream.open();
    await page.locator(`main a[href="/approvals/${early.id}"]`).waitFor();
    await page.goto("/account");
    await page.getByText("Connected", { exact: true }).waitFor();
    await page.route(
      "**/v1/proposals?**",
      async (route) => {
        const answer = await route.fetch();
        fetched.open();
        await list.opened;
        await route.fulfill({ response: answer });
      },
      { times: 1 },
    );
    await page.getByRole("link", { name: /^Approvals/ }).click();
    await fetched.opened;
    const news = await openStream(started.service, "?kinds=proposal");
    const late = await propose({ order: "ord_late" });
    await news.until(({ data }) => data.id === late.id);
    news.leave();
    list.open();
    await page.locator(`main a[href="/approvals/${late.id}"]`).waitFor();
    for (const { id } of [early, late])
      await started.service.api("POST", `/v1/proposals/${id}/reject`, { reason: "no" });
  });

  test("by mouse: what would happen is seen, then approved, and it runs once", async () => {
    const page = await started.open("/approvals");
    const { id } = await propose({ order: HOSTILE.slice(0, 90), amount: 1250 });
    // The badge appears without loading the page again.
    await page.getByRole("link", { name: /^Approvals ?\d+ pending proposals?/ }).waitFor();
    const row = page.getByRole("row").filter({ hasText: action });
    await row.getByText("High risk").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await row.getByRole("link").first().click();
    await page.waitForURL(`**/approvals/${id}`);
    await page.getByText("The customer asked for their money back.").waitFor();
    await page.getByText("1250", { exact: true }).first().waitFor();
    expect(receiver.received).toHaveLength(0);
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Approve" }).click();
    await expect.poll(async () => await state(id)).toBe("executed");
    await page.getByRole("link", { name: /^run_/ }).click();
    await page.getByRole("heading", { name: "Result" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(receiver.received).toHaveLength(1);
    expect(await page.evaluate("window.hacked")).toBeUndefined();
  });

  test("an approval is announced even if the event stream is faster than the answer", async () => {
    const { id } = await propose({ order: "ord_news" });
    const page = await started.open(`/approvals/${id}`);
    await page.route("**/approve", async (route) => {
      const answer = await route.fetch();
      await page.getByRole("button", { name: "Approve" }).waitFor({ state: "detached" });
      await route.fulfill({ response: answer });
    });
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByText("Proposal approved.").waitFor();
  });

  test("by keyboard alone: it is rejected with a reason, and nothing is done", async () => {
    const before = receiver.received.length;
    const { id } = await propose({ order: "ord_2" });
    const page = await started.open(`/approvals/${id}`);
    await tabTo(page, "Reject");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Reject proposal" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.type("Not this customer.");
    await tabTo(page, /^Reject proposal$/);
    await page.keyboard.press("Enter");
    await expect.poll(async () => await state(id)).toBe("rejected");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByText("Not this customer.").waitFor();
    expect(receiver.received).toHaveLength(before);
  });

  test("an edit makes another proposal, and what is wrong stands at the field", async () => {
    const { id } = await propose({ order: "ord_3" });
    const page = await started.open(`/approvals/${id}`);
    await page.getByRole("button", { name: "Edit" }).click();
    const field = page.getByRole("dialog").getByLabel("Parameters");
    await field.fill("{");
    await page.getByRole("button", { name: "Submit edited proposal" }).click();
    await page.getByText("Enter a valid JSON object.").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await field.fill('{"order": "ord_4"}');
    await page.getByRole("button", { name: "Submit edited proposal" }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(id));
    await page.getByText("ord_4").first().waitFor();
    expect(await state(id)).toBe("superseded");
  });

  test("several proposals are decided together, and each has its own answer", async () => {
    const admin = await joined(started.service, "admin");
    const [first, second] = [await propose({ order: "ord_many_1" }), await propose({ order: "ord_many_2" })];
    const page = await started.open("/approvals", { as: { email: admin.email, password: admin.password } });
    await page.locator(`main a[href="/approvals/${second.id}"]`).waitFor();
    await page.getByText("Select all").click();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Approve selected" }).click();
    const dialog = page.getByRole("dialog", { name: "Approve selected proposals" });
    await dialog.getByText("ord_many_1").waitFor();
    // One of them changes while the dialog is open: the approval of what it showed is refused.
    await started.service.api("PATCH", `/v1/proposals/${first.id}`, { parameters: { order: "ord_many_3" } });
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: /^Approve \d+$/ }).click();
    await dialog.getByRole("button", { name: "Done" }).waitFor();
    await dialog
      .getByText(/was edited/)
      .first()
      .waitFor();
    await expect.poll(async () => await state(second.id)).toBe("executed");
    expect(await state(first.id)).toBe("superseded");
    await dialog.getByRole("button", { name: "Done" }).click();
  });

  test("a workflow's approval shows its own texts, and links to what asks", async () => {
    const workflow = await makeWorkflow(started.service, [
      {
        id: "ask",
        type: "wait_approval",
        approver_roles: ["owner"],
        title: "Release ${$.data.order}",
        summary: `For ${HOSTILE.slice(0, 60)}`,
        fields: [
          { label: "Total", value: "${$.data.total} EUR" },
          { label: "Total", value: "${$.data.missing}" },
        ],
      },
    ]);
    const run = await workflow.fire({ order: "ord_console", total: 12 });
    await workflow.run(run, "waiting");
    const page = await started.open("/approvals");
    await page.getByText("Workflow Test, step ask").waitFor();
    await page.getByRole("link", { name: "Release ord_console" }).click();
    await page.getByRole("heading", { name: "Release ord_console" }).waitFor();
    await page.getByText("12 EUR", { exact: true }).waitFor();
    await page.getByText("[missing: $.data.missing]", { exact: true }).waitFor();
    const links = page.getByText(/^Workflow Test \(version 1\), step ask, started by event/);
    expect(await links.getByRole("link").evaluateAll((all) => all.map((link) => link.getAttribute("href")))).toEqual([
      `/workflows/${workflow.id}`,
      `/workflow-runs/${run}`,
      expect.stringMatching(/^\/events\/evt_/),
    ]);
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Approve" }).click();
    await workflow.run(run, "completed");
  });

  test("a role that cannot decide is shown why, and sees the proposal", async () => {
    const { id } = await propose({ order: "ord_5" });
    const developer = await joined(started.service, "developer");
    const page = await started.open(`/approvals/${id}`, {
      as: { email: developer.email, password: developer.password },
    });
    await page.getByText(/Your role \(developer\) can't approve or reject/).waitFor();
    await expect.poll(async () => await page.getByRole("button", { name: "Approve" }).isDisabled()).toBe(true);
    await page.goto("/audit");
    await page.getByText("You don't have permission").waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  test("an action is requested with a form after a preview of its effect", async () => {
    const page = await started.open(`/actions/${action}`);
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Request action" }).click();
    await page.getByLabel("order").fill("ord_6");
    await page.getByLabel("amount").fill("many");
    await page.getByRole("button", { name: "Preview action" }).click();
    await expect.poll(async () => await page.getByLabel("amount").getAttribute("aria-invalid")).toBe("true");
    await page.getByLabel("amount").fill("7");
    await page.getByRole("button", { name: "Preview action" }).click();
    await page.getByRole("button", { name: "Request approval" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Request approval" }).click();
    await page.waitForURL("**/approvals/prop_*");
  });

  test("the audit log verifies its chain, explains its entries and exports them", async () => {
    const page = await started.open("/audit?kind=proposal");
    await page.getByRole("button", { name: "Verify chain" }).click();
    await page.getByText(/Chain verified: \d+ entries checked/).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("table", { name: "Audit log" }).getByRole("link").first().click();
    await page.getByRole("heading", { name: "Hash chain" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    const downloading = page.waitForEvent("download");
    await page.goto("/audit");
    await page.getByRole("button", { name: "Export CSV" }).click();
    expect((await downloading).suggestedFilename()).toBe("audit.csv");
  });

  test("a time filter keeps its start while its list is shown, despite new rows", async () => {
    const page = await started.open("/audit?since=1h");
    const rows = page.locator("main tbody tr");
    await rows.first().waitFor();
    const before = await rows.count();
    const starts = new Set<string>();
    page.on("request", (request) => {
      const start = new URL(request.url()).searchParams.get("created_after");
      if (start !== null) starts.add(start);
    });
    await page.clock.setFixedTime(Date.now() + 120_000);
    await propose({ order: "ord_clock" });
    await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));
    await expect.poll(async () => await rows.count()).toBeGreaterThan(before);
    expect(starts.size).toBe(1);
  });

  test("runs, actions, AI history, connectors and approvals fit a window of 320 px", async () => {
    for (const path of ["/runs", "/actions", "/ai-history", "/connectors", "/approvals"]) {
      const page = await started.open(path, { width: 320, height: 640 });
      await page.getByRole("status", { name: /Loading/ }).waitFor({ state: "detached" });
      expect([path, await overflowsSideways(page)]).toEqual([path, false]);
      expect([path, await faultsOf(page)]).toEqual([path, []]);
    }
  });
});

function gate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}
