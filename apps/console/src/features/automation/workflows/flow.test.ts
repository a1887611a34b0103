import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startReceiver } from "../../../../../service/src/testing/receiver.ts";
import type { Received, Receiver } from "../../../../../service/src/testing/receiver.ts";
import { UNLIMITED } from "../../../../../service/src/testing/subscription.ts";
import { faultsOf, hasNoBrowser, overflowsSideways, startConsole, tabTo } from "../../../testing/testing.ts";
import type { Page, TestConsole } from "../../../testing/testing.ts";

const TOKEN = "token-of-the-stock-api";
const STOCK = '{"sku":"A-7","available":12345678901234567890}';

/** A message as Slack's incoming webhooks accept it. */
function isSlackMessage({ method, headers, body }: Received): boolean {
  const { text, blocks = [] } = JSON.parse(body) as { readonly text?: unknown; readonly blocks?: unknown };
  const isJson = headers["content-type"] === "application/json";
  return method === "POST" && isJson && typeof text === "string" && text !== "" && Array.isArray(blocks);
}

describe.skipIf(hasNoBrowser)("a workflow that is written in the console", { timeout: 600_000 }, () => {
  let started: TestConsole;
  let api: Receiver;
  let origin: string;

  const to = (path: string): readonly Received[] => api.received.filter((one) => one.path.startsWith(path));
  const pick = async (page: Page, button: string | RegExp, option: string): Promise<void> => {
    await page.getByRole("button", { name: button }).click();
    await page.getByRole("option", { name: option, exact: true }).click();
  };
  const choose = async (page: Page, button: string, item: string | RegExp): Promise<void> => {
    await page.getByRole("button", { name: button, exact: true }).click();
    await page.getByRole("menuitem", { name: item }).click();
  };
  const nameStep = async (page: Page, id: string): Promise<void> => {
    await page.getByRole("textbox", { name: "ID", exact: true }).fill(id);
    await page.locator("[data-step-row][aria-current=step]", { hasText: id }).waitFor();
  };
  const outline = async (page: Page): Promise<readonly string[]> =>
    await page.getByRole("list", { name: "Steps", exact: true }).getByRole("listitem").allInnerTexts();

  beforeAll(async () => {
    api = await startReceiver();
    origin = new URL(api.url).origin;
    api.answer((response, request) => {
      const isStock = request.path.startsWith("/stock/");
      const mayRead = request.headers.authorization === `Bearer ${TOKEN}`;
      if (isStock && mayRead) response.writeHead(200, { "Content-Type": "application/json" }).end(STOCK);
      else if (request.path === "/slack" && isSlackMessage(request)) response.writeHead(200).end("ok");
      else response.writeHead(isStock ? 401 : 400).end("invalid_payload");
    });
    started = await startConsole({ env: UNLIMITED });
  });
  afterAll(async () => {
    await started.close();
    await api.close();
  });

  test("calls an API, decides on its answer, asks a person, and tells Slack", async () => {
    await started.service.fire("stock.asked", { sku: "A-7" });
    const page = await started.open("/workflows/new");
    await page.getByLabel("Name", { exact: true }).fill("Ask before the last one is sold");
    await page.getByLabel("Maximum runs per minute").fill("30");
    await page.getByRole("combobox", { name: "Event type" }).fill("stock.asked");
    await page.keyboard.press("Escape");

    // The call, with a value of the last event, a secret, and a test of the real request.
    await nameStep(page, "stock");
    await page.getByRole("textbox", { name: "URL", exact: true }).fill(`${origin}/stock/`);
    await choose(page, "Insert a value: URL", /^data\.sku: A-7/);
    await pick(page, /Authentication type/, "Bearer token");
    await page.getByRole("button", { name: "Store secret" }).click();
    const dialog = page.getByRole("dialog", { name: "Store secret" });
    await dialog.getByLabel("Name of the secret").fill("stock_token");
    await dialog.getByLabel("Value of the secret").fill(TOKEN);
    await dialog.getByLabel("Hosts").fill("https://api.example.com");
    await dialog.getByRole("button", { name: "Store secret" }).click();
    await dialog.getByText("must be a host name in lower case").waitFor();
    await dialog.getByLabel("Hosts").fill(`${new URL(origin).hostname}, *.example.com`);
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Store secret" }).click();
    await dialog.waitFor({ state: "detached" });
    const secrets = await started.service.api("GET", "/v1/secrets");
    expect(secrets.body.data[0].hosts).toEqual([new URL(origin).hostname, "*.example.com"]);
    const preview = page.getByRole("region", { name: "Request text" });
    await preview
      .filter({ hasText: `GET ${origin}/stock/A-7` })
      .filter({ hasText: "[redacted]" })
      .waitFor();
    expect(to("/stock")).toHaveLength(0);
    await page.getByRole("button", { name: "Send request" }).click();
    const response = page.getByRole("status", { name: "Response to the test" });
    await response.getByText("Succeeded").waitFor();
    expect(await response.innerText()).toContain("12345678901234567890");
    expect(to("/stock")).toHaveLength(1);
    expect(await faultsOf(page)).toEqual([]);

    // The decision, on a member of the response that was just received.
    await choose(page, "Add step", "Condition");
    await nameStep(page, "enough");
    const decision = page.getByRole("group", { name: "Step condition", exact: true });
    await decision.getByRole("button", { name: "Add condition" }).click();
    await decision.getByRole("button", { name: "Insert a value: Field" }).click();
    await page.getByRole("menuitem", { name: /^steps\.stock\.body\.available/ }).click();
    await decision.getByRole("button", { name: /Operator/ }).click();
    await page.getByRole("option", { name: "is at least" }).click();
    await decision.getByRole("textbox", { name: "Value", exact: true }).fill("1");

    // A person, in the branch, and then Slack.
    await choose(page, "Add step to enough: If met", "Approval");
    await nameStep(page, "ask");
    await page.getByRole("combobox", { name: "Approver roles" }).fill("owner");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await choose(page, "Add step", "Call API");
    await nameStep(page, "tell");
    await pick(page, /Method/, "POST");
    await page.getByRole("textbox", { name: "URL", exact: true }).fill(`${origin}/slack`);
    await pick(page, /^None Body|Body/, "JSON");
    const body = page.getByRole("textbox", { name: "JSON body" });
    await body.fill('{"text": ');
    await choose(page, "Insert a value: JSON body", /^data\.sku/);
    expect(await body.inputValue()).toBe('{"text": "${$.data.sku}"');
    await body.fill('{"text": "Sold ${$.data.sku}, one of ${steps.stock.body.available}"}');
    expect((await outline(page)).map((line) => line.replaceAll(/\s+/g, " "))).toEqual([
      "stock Call API",
      "enough Condition",
      "If met:",
      "ask Approval",
      "tell Call API",
      "If not met: end",
    ]);
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Create workflow" }).click();
    await page.getByRole("link", { name: "Open workflow" }).click();
    await page.getByRole("heading", { level: 1, name: "Ask before" }).waitFor();
    const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    expect((await started.service.api("GET", `/v1/workflows/${id}`)).body["max_runs_per_minute"]).toBe(30);

    // A run waits for the person, and shows where.
    await started.service.fire("stock.asked", { sku: "A-7" });
    await started.service.until(`/v1/workflows/${id}/runs`, ({ data }) => data[0]?.state === "waiting");
    await page.getByRole("tab", { name: "Runs" }).click();
    await page.getByRole("link", { name: /^wfr_/ }).click();
    const step = (name: string) => page.getByRole("group", { name: `Step ${name}`, exact: true });
    await step("ask").getByText("Waiting").waitFor();
    await step("stock").getByText("Completed").waitFor();
    await step("tell").getByText("Not reached yet").waitFor();
    expect(to("/slack")).toHaveLength(0);
    expect(await faultsOf(page)).toEqual([]);
    const run = page.url();
    await step("ask").getByRole("link", { name: "Open approval" }).click();
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await api.count(3);
    await page.goto(run);
    await step("tell").getByText("Completed").waitFor();
    await page.getByText("Completed", { exact: true }).first().waitFor();
    await step("stock").getByText("Output").click();
    await expect.poll(async () => await step("stock").innerText()).toContain("12345678901234567890");
    expect(await faultsOf(page)).toEqual([]);
    const [told] = to("/slack");
    expect(JSON.parse(told?.body ?? "")).toEqual({ text: "Sold A-7, one of 12345678901234567890" });

    // A replay by one click sends the same request under a key of its own.
    await step("tell").getByRole("button", { name: "Replay call" }).click();
    await page.waitForURL("**/http-calls/call_*");
    await page.getByText("Succeeded").first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    const [first, second] = to("/slack");
    expect([to("/slack").length, second?.body]).toEqual([2, first?.body]);
    expect(second?.headers["idempotency-key"]).not.toBe(first?.headers["idempotency-key"]);
    await page.getByRole("link", { name: "Back to HTTP calls" }).click();
    await expect.poll(async () => await page.getByRole("row").filter({ hasText: "Succeeded" }).count()).toBe(3);
    expect(await faultsOf(page)).toEqual([]);
  });

  test("by keyboard alone: steps are selected, moved, removed and added", async () => {
    const made = await started.service.api("POST", "/v1/workflows", {
      name: "Keys",
      trigger: { event: "keys.pressed" },
      steps: ["one", "two", "three"].map((id) => ({ id, type: "delay", seconds: 1 })),
    });
    const page = await started.open(`/workflows/${String(made.body.id)}`);
    await tabTo(page, /^one/);
    const focused = async (): Promise<string> => await page.evaluate("document.activeElement.textContent");
    await page.keyboard.press("ArrowDown");
    await expect.poll(focused).toBe("twoDelay");
    await page.keyboard.press("Alt+ArrowDown");
    await page.getByText("Step two moved at position 3 of 3.").waitFor();
    await expect.poll(focused).toBe("twoDelay");
    await page.keyboard.press("Home");
    await expect.poll(focused).toBe("oneDelay");
    await page.keyboard.press("Delete");
    await expect.poll(focused).toBe("threeDelay");
    await page.keyboard.press("End");
    await tabTo(page, "Add step");
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Event", exact: true }).waitFor();
    await page.keyboard.type("Ev");
    await page.keyboard.press("Enter");
    await expect.poll(focused).toBe("step_3Event");
    await tabTo(page, "Event type", "combobox", page.locator("main section").last());
    await page.keyboard.type("keys.released");
    await page.keyboard.press("Escape");
    await tabTo(page, "Save workflow");
    await page.keyboard.press("Enter");
    await page.getByText("Workflow saved.").waitFor();
    const { body } = await started.service.api("GET", `/v1/workflows/${String(made.body.id)}`);
    expect(body.steps).toEqual([
      { id: "three", type: "delay", seconds: 1 },
      { id: "two", type: "delay", seconds: 1 },
      { id: "step_3", type: "fire_event", event: "keys.released" },
    ]);
  });

  test("a rule's call shows refused members at their fields, also at 320 px", async () => {
    const page = await started.open("/rules/new", { width: 320, height: 640 });
    await page.getByLabel("Name", { exact: true }).fill("Calls");
    await page.getByRole("combobox", { name: "Event types" }).fill("order.created");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Add", exact: true }).first().click();
    await pick(page, /Type of action 1/, "Call API");
    await page.getByRole("textbox", { name: "URL", exact: true }).fill("https://${$.data.host}/x");
    await page.getByRole("button", { name: "Add header" }).click();
    await page.getByRole("textbox", { name: "Header name" }).fill("Authorization");
    await page.getByRole("textbox", { name: "Header value" }).fill("secret");
    await page.getByRole("region", { name: "Request preview" }).getByText("url", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Create rule" }).click();
    await page.getByRole("alert", { name: "Fields to correct" }).waitFor();
    const url = page.getByRole("textbox", { name: "URL", exact: true });
    expect(await url.getAttribute("aria-invalid")).toBe("true");
    expect(await page.getByRole("textbox", { name: "Header value" }).getAttribute("aria-invalid")).toBe("true");
    expect(await overflowsSideways(page)).toBe(false);
    expect(await faultsOf(page)).toEqual([]);
    await url.fill(`${origin}/slack`);
    await page.getByRole("button", { name: "Remove header 1" }).click();
    await page.getByRole("button", { name: "Create rule" }).click();
    await page.getByRole("heading", { name: "Rule created" }).waitFor();
  });
});
