import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { joined } from "../../../../../service/src/testing/people.ts";
import { startReceiver } from "../../../../../service/src/testing/receiver.ts";
import type { Receiver } from "../../../../../service/src/testing/receiver.ts";
import { faultsOf, hasNoBrowser, overflowsSideways, startConsole, tabTo } from "../../../testing/testing.ts";
import type { Page, TestConsole } from "../../../testing/testing.ts";

const HOSTILE = `<script>window.hacked = true</script> \u202Emoc.live 🎉 ${"W".repeat(120)}`;

describe.skipIf(hasNoBrowser)("rules and workflows", { timeout: 90_000 }, () => {
  let started: TestConsole;
  let receiver: Receiver;

  const made = async (path: string, body: object): Promise<string> => {
    const answer = await started.service.api("POST", path, body);
    expect([answer.status, answer.body["detail"]]).toEqual([201, undefined]);
    return answer.body["id"];
  };
  const rule = async (more: object = {}): Promise<string> =>
    await made("/v1/rules", {
      name: "Large orders",
      on: ["order.created"],
      when: { all: [{ field: "data.total", op: "gte", value: 100 }] },
      then: [
        { type: "add_tag", tag: "large" },
        { type: "adjust_score", by: 5 },
      ],
      ...more,
    });
  const workflow = async (more: object = {}): Promise<string> =>
    await made("/v1/workflows", {
      name: "Greet, and remind",
      trigger: { event: "order.created" },
      steps: [
        { id: "large", type: "condition", when: { all: [{ field: "data.total", op: "gt", value: 1 }] }, then: "wait" },
        { id: "wait", type: "delay", seconds: 3600 },
        { id: "tell", type: "webhook", url: `${receiver.url}/tell` },
      ],
      ...more,
    });
  const definition = async (path: string): Promise<Record<string, unknown>> =>
    (await started.service.api("GET", path)).body;
  /** Replaces `tabTo`, from which an open suggestion list hides the rest of the page. */
  const tabToLabel = async (page: Page, label: string): Promise<void> => {
    for (let pressed = 0; pressed < 150; pressed += 1) {
      if ((await page.evaluate("document.activeElement?.getAttribute('aria-label')")) === label) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`Tab never reaches ${label}`);
  };
  const pick = async (page: Page, button: string | RegExp, option: string): Promise<void> => {
    await page.getByRole("button", { name: button }).click();
    await page.getByRole("option", { name: option }).click();
  };

  beforeAll(async () => {
    receiver = await startReceiver();
    started = await startConsole();
  });
  afterAll(async () => {
    await started.close();
    await receiver.close();
  });

  test("the empty lists explain themselves and link to the first rule or workflow", async () => {
    for (const [path, words, link] of [
      ["/rules", "No rules yet", "Create rule"],
      ["/workflows", "No workflows yet", "Create workflow"],
    ] as const) {
      const page = await started.open(path);
      await page.getByText(words).waitFor();
      expect([path, await faultsOf(page)]).toEqual([path, []]);
      await page.getByRole("link", { name: link }).first().click();
      await page.waitForURL(`**${path}/new`);
    }
  });

  test("by mouse: a rule is created, tested with explanations on a past event, runs", async () => {
    await started.service.fire("order.created", { total: 120, plan: "gold" });
    const page = await started.open("/rules/new");
    await page.getByLabel("Name").fill("Tag large orders");
    await page.getByRole("button", { name: "Create rule" }).click();
    await page.getByText("Add an event type, or * for all except system events.").first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("combobox", { name: "Event types" }).fill("order.created");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("button", { name: "Add condition" }).click();
    await page.getByRole("textbox", { name: "Field" }).fill("data.total");
    await pick(page, /Operator/, "is at least");
    await page.getByRole("textbox", { name: "Value" }).fill("100");
    await page.getByText("Number: 100").waitFor();
    await page.getByRole("textbox", { name: "Tag", exact: true }).fill("large");
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Create rule" }).click();
    await page.getByLabel("Signing secret").filter({ hasText: "whsec_" }).waitFor();
    await page.getByRole("link", { name: "Test with a past event" }).click();
    await pick(page, /Past event/, "order.created");
    await page.getByRole("button", { name: "Run test" }).click();
    await page.getByRole("heading", { name: "The rule would run" }).waitFor();
    const leaf = page.getByRole("row").filter({ hasText: "data.total" });
    expect(await leaf.innerText()).toMatch(/is at least\s+100\s+120\s+Met/);
    expect(await faultsOf(page)).toEqual([]);
    const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    expect((await definition(`/v1/rules/${id}`))["when"]).toEqual({
      all: [{ field: "data.total", op: "gte", value: 100 }],
    });
    await started.service.fire("order.created", { total: 7 });
    await started.service.until(`/v1/rules/${id}/runs`, ({ data }) => data.length > 0);
    await page.getByRole("tab", { name: "Runs" }).click();
    await page.getByRole("button", { name: "Explain the run of order.created" }).click();
    await page.getByRole("dialog").getByText("Not met", { exact: true }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  test("header values stay hidden and unchanged in both editors, and owners can see them", async () => {
    const headers = { Authorization: "Bearer of-the-receiver" };
    const url = `${receiver.url}/sealed`;
    const of = {
      rules: await rule({ then: [{ type: "post_webhook", url, headers }] }),
      workflows: await workflow({ steps: [{ id: "tell", type: "webhook", url, headers }] }),
    };
    for (const [kind, save] of [
      ["rules", "Save rule"],
      ["workflows", "Save workflow"],
    ] as const) {
      const path = `/${kind}/${of[kind]}`;
      const page = await started.open(path);
      await expect.poll(async () => await page.getByLabel("Headers").inputValue()).toContain("[redacted]");
      await page.getByLabel("Name").fill("Renamed");
      await page.getByRole("button", { name: save }).click();
      await page
        .getByText(/^(?:Rule|Workflow) saved\.$/)
        .first()
        .waitFor();
      expect((await definition(`/v1${path}`))["name"]).toBe("Renamed");
      const { webhooks } = (await started.service.api("GET", `/v1${path}/headers`)).body;
      expect(webhooks).toEqual([{ path: expect.any(String), url, headers }]);
      await page.getByRole("tab", { name: "Settings" }).click();
      await page.getByRole("button", { name: "Show header values" }).click();
      await page.getByLabel("Authorization", { exact: true }).getByText("Bearer of-the-receiver").waitFor();
      expect(await faultsOf(page)).toEqual([]);
    }
  });

  test("by keyboard alone: actions change places, and the focus stays on the button", async () => {
    const id = await rule();
    const page = await started.open(`/rules/${id}`);
    await page.getByRole("button", { name: "Save rule" }).waitFor();
    await tabToLabel(page, "Move action 1 down");
    await page.keyboard.press("Enter");
    await page.getByText("Action moved to position 2 of 2.").waitFor();
    await expect
      .poll(async () => await page.evaluate("document.activeElement.getAttribute('aria-label')"))
      .toBe("Move action 2 up");
    await page.keyboard.press("Enter");
    await page.getByText("Action moved to position 1 of 2.").waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("Action moved to position 2 of 2.").waitFor();
    await tabTo(page, "Save rule");
    await page.keyboard.press("Enter");
    await page.getByText(/^(?:Rule|Workflow) saved\.$/).waitFor();
    expect((await definition(`/v1/rules/${id}`))["then"]).toEqual([
      { type: "adjust_score", by: 5 },
      { type: "add_tag", tag: "large" },
    ]);
  });

  test("service errors appear at their fields, and the form can be sent again", async () => {
    const id = await rule();
    const page = await started.open(`/rules/${id}`);
    const by = page.getByRole("textbox", { name: "Points" });
    await by.fill("0");
    await page.getByRole("button", { name: "Save rule" }).click();
    await page.getByRole("alert", { name: "Fields to correct" }).waitFor();
    expect(await by.getAttribute("aria-invalid")).toBe("true");
    expect(await faultsOf(page)).toEqual([]);
    await by.fill("-3");
    await page.getByRole("button", { name: "Action 1 as JSON" }).click();
    await page.getByLabel("Action 1 as JSON").last().fill('{"type": "add_tag", "tag": "json"}');
    await page.getByRole("button", { name: "Save rule" }).click();
    await page.getByText(/^(?:Rule|Workflow) saved\.$/).waitFor();
    expect((await definition(`/v1/rules/${id}`))["then"]).toEqual([
      { type: "add_tag", tag: "json" },
      { type: "adjust_score", by: -3 },
    ]);
  });

  test("a text of digits stays text, and condition groups stay groups", async () => {
    const when = {
      any: [
        { field: "data.code", op: "eq", value: "100" },
        { field: "data.plan", op: "in", value: ["gold", 2, null] },
        { all: [{ field: "contact.score", op: "exists", value: true }] },
      ],
    };
    const id = await rule({ name: HOSTILE, when });
    const page = await started.open(`/rules/${id}`);
    await page.getByText("Text: 100").waitFor();
    await page.getByText("List of 3").waitFor();
    await page.getByLabel("Priority").fill("7");
    await page.getByRole("button", { name: "Save rule" }).click();
    await page.getByText(/^(?:Rule|Workflow) saved\.$/).waitFor();
    expect(await definition(`/v1/rules/${id}`)).toMatchObject({ when, priority: 7, name: HOSTILE });
    expect(await page.evaluate("window.hacked")).toBeUndefined();
  });

  test("numbers beyond what JavaScript holds keep their digits, in fields and in JSON", async () => {
    const exact = { big: "12345678901234567890", small: "0.12345678901234567891" };
    const text = `{"name":"Exact","on":["order.created"],
      "when":{"all":[{"field":"data.id","op":"eq","value":${exact.big}},{"any":[{"field":"data.x","op":"lt","value":${exact.small}}]}]},
      "then":[{"type":"fire_event","event":"exact.one","data":{"id":${exact.big}}}]}`;
    const { body } = await started.service.api("POST", "/v1/rules", text);
    const page = await started.open(`/rules/${String(body.id)}`);
    await page.getByText(`Number: ${exact.big}`).waitFor();
    expect(await page.getByLabel("Group as JSON").inputValue()).toContain(exact.small);
    await page.getByLabel("Name").fill("Exact still");
    await page.getByRole("button", { name: "Save rule" }).click();
    await page.getByText(/^(?:Rule|Workflow) saved\.$/).waitFor();
    const saved = await started.service.api("GET", `/v1/rules/${String(body.id)}`);
    expect(saved.text).toContain("Exact still");
    expect(saved.text.split(exact.big)).toHaveLength(3);
    expect(saved.text.split(exact.small)).toHaveLength(2);
    await page.getByRole("textbox", { name: "Value" }).fill(`${exact.big}1`);
    await page.getByText(`Number: ${exact.big}1`).waitFor();
    await page.getByRole("button", { name: "Show code" }).first().waitFor();
  });

  test("a run's explanation has the digits of what was compared", async () => {
    const big = "12345678901234567890";
    const { body } = await started.service.api(
      "POST",
      "/v1/rules",
      `{"name":"Exact run","on":["exact.run"],"when":{"field":"data.id","op":"eq","value":${big}},"then":[{"type":"add_tag","tag":"big"}]}`,
    );
    await started.service.api("POST", "/v1/events/fire", `{"event":"exact.run","data":{"id":${big}}}`);
    await started.service.until(`/v1/rules/${String(body.id)}/runs`, ({ data }) => data.length > 0);
    const page = await started.open(`/rules/${String(body.id)}?tab=runs`);
    await page.getByRole("button", { name: "Explain the run of exact.run" }).click();
    const leaf = page.getByRole("dialog").getByRole("row").filter({ hasText: "data.id" });
    expect((await leaf.innerText()).split(big)).toHaveLength(3);
    expect(await leaf.innerText()).toContain("Met");
  });

  test("a workflow's numbers keep their digits, and unsaved changes prompt before leaving", async () => {
    const exact = { big: "12345678901234567890", small: "0.12345678901234567891" };
    const text = `{"name":"Exact","trigger":{"event":"exact.begun","when":{"all":[{"field":"data.id","op":"eq","value":${exact.big}}]}},
      "steps":[{"id":"tell","type":"fire_event","event":"exact.told","data":{"id":${exact.big},"part":${exact.small}}}]}`;
    const { body } = await started.service.api("POST", "/v1/workflows", text);
    const path = `/v1/workflows/${String(body.id)}`;
    const page = await started.open(`/workflows/${String(body.id)}`);
    await page.getByText(`Number: ${exact.big}`).waitFor();
    const closing: string[] = [];
    page.on("dialog", (dialog) => {
      closing.push(dialog.type());
      void dialog.dismiss();
    });
    await page.getByLabel("Name").fill("Exact still");
    await page.getByRole("tab", { name: "Graph" }).click();
    await page.getByRole("img", { name: /1 step after exact.begun/ }).waitFor();
    await page.getByRole("tab", { name: "Definition" }).click();
    expect(await page.getByLabel("Name").inputValue()).toBe("Exact still");
    await page.close({ runBeforeUnload: true });
    await expect.poll(() => closing).toEqual(["beforeunload"]);
    await page.getByRole("link", { name: "Back to Workflows" }).click();
    const asked = page.getByRole("alertdialog", { name: "Leave without saving?" });
    await asked.waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await asked.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Save workflow" }).click();
    await page.getByText(/^(?:Rule|Workflow) saved\.$/).waitFor();
    const saved = await started.service.api("GET", path);
    expect(saved.text).toContain("Exact still");
    expect(saved.text.split(exact.big)).toHaveLength(3);
    expect(saved.text.split(exact.small)).toHaveLength(2);
    await page.getByRole("link", { name: "Back to Workflows" }).click();
    await page.waitForURL("**/workflows");
  });

  test("unsaved changes prompt before the page is left, not before switching tabs", async () => {
    const id = await rule({ name: "Left" });
    const page = await started.open(`/rules/${id}`);
    await page.getByLabel("Name").fill("Changed");
    await page.getByRole("tab", { name: "Runs" }).click();
    await page.getByText("No runs yet").waitFor();
    await page.getByRole("tab", { name: "Definition" }).click();
    expect(await page.getByLabel("Name").inputValue()).toBe("Changed");
    const closing: string[] = [];
    page.on("dialog", (dialog) => {
      closing.push(dialog.type());
      void dialog.dismiss();
    });
    await page.close({ runBeforeUnload: true });
    await expect.poll(() => closing).toEqual(["beforeunload"]);
    await page.getByRole("link", { name: "Back to Rules" }).click();
    const asked = page.getByRole("alertdialog", { name: "Leave without saving?" });
    await asked.waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await asked.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Save rule" }).click();
    await page.getByText(/^(?:Rule|Workflow) saved\.$/).waitFor();
    await page.getByRole("link", { name: "Back to Rules" }).click();
    await page.waitForURL("**/rules");
  });

  test("an owner reveals and regenerates the secret, disables a rule, and deletes it", async () => {
    const id = await rule({ name: "Short-lived" });
    const page = await started.open(`/rules/${id}?tab=settings`);
    await page.getByRole("button", { name: "Show secret" }).click();
    await page.getByLabel("Signing secret").filter({ hasText: "whsec_" }).waitFor();
    await page.getByRole("button", { name: "Regenerate secret" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Regenerate secret" }).click();
    await page.getByRole("dialog", { name: "New secret" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.goto("/rules");
    await page.getByRole("row").filter({ hasText: "Short-lived" }).getByText("On").click();
    await expect.poll(async () => (await definition(`/v1/rules/${id}`))["enabled"]).toBe(false);
    await page.goto(`/rules/${id}?tab=settings`);
    await page.getByRole("button", { name: "Delete rule" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete rule" }).click();
    await page.waitForURL("**/rules");
    expect((await started.service.api("GET", `/v1/rules/${id}`)).status).toBe(404);
  });

  test("a workflow is changed, tested and drawn; its run is followed and canceled", async () => {
    const id = await workflow();
    const page = await started.open(`/workflows/${id}`);
    await page.getByRole("button", { name: /^tell/ }).click();
    await page.getByRole("button", { name: "Add step", exact: true }).click();
    await page.getByRole("menuitem", { name: "Webhook" }).click();
    await page.locator("[data-step-row][aria-current=step]", { hasText: "step_4" }).waitFor();
    await page.getByLabel("URL").fill(`${receiver.url}/last`);
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Save workflow" }).click();
    await page.getByText(/^(?:Rule|Workflow) saved\.$/).waitFor();
    expect(((await definition(`/v1/workflows/${id}`))["steps"] as { id: string }[]).map((step) => step.id)).toEqual([
      "large",
      "wait",
      "tell",
      "step_4",
    ]);
    await page.getByRole("tab", { name: "Graph" }).click();
    await page.getByRole("img", { name: /4 steps after order.created/ }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("tab", { name: "Test" }).click();
    await page.getByRole("textbox", { name: "Data" }).fill('{"total": 3}');
    await page.getByRole("button", { name: "Run test" }).click();
    await page.getByRole("heading", { name: "A run would start" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await started.service.fire("order.created", { total: 3 });
    await started.service.until(`/v1/workflows/${id}/runs`, ({ data }) => data[0]?.state === "waiting");
    await page.getByRole("tab", { name: "Runs" }).click();
    await page.getByRole("link", { name: /^wfr_/ }).click();
    await page.getByRole("button", { name: "Cancel run" }).click();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("alertdialog").getByRole("button", { name: "Cancel run" }).click();
    await page.getByText("Cancelled", { exact: true }).first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  test("who may not change them sees them all the same", async () => {
    const id = await rule();
    const { email, password } = await joined(started.service, "viewer");
    const page = await started.open(`/rules/${id}`, { as: { email, password } });
    await page.getByText("Your role can't change rules.").waitFor();
    await expect.poll(async () => await page.getByRole("button", { name: "Save rule" }).isDisabled()).toBe(true);
    await page.getByRole("tab", { name: "Settings" }).click();
    await expect.poll(async () => await page.getByRole("button", { name: "Show secret" }).isDisabled()).toBe(true);
    await page.goto(`/rules/${id.slice(0, -4)}0000`);
    await page.getByRole("alert").waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  test("all of them hold at 320 px, with hostile names", async () => {
    const id = await rule({ name: HOSTILE });
    const other = await workflow({ name: HOSTILE });
    const paths = ["/rules", `/rules/${id}`, "/workflows", `/workflows/${other}`, `/workflows/${other}?tab=graph`];
    for (const path of paths) {
      const page = await started.open(path, { width: 320, height: 640 });
      await page.getByRole("status", { name: /Loading/ }).waitFor({ state: "detached" });
      expect([path, await overflowsSideways(page)]).toEqual([path, false]);
      expect([path, await faultsOf(page)]).toEqual([path, []]);
      expect(await page.evaluate("window.hacked")).toBeUndefined();
    }
  });
});
