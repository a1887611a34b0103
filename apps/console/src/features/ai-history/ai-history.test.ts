import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mintKey } from "../../../../service/src/testing/keys.ts";
import { makeContract } from "../../../../service/src/testing/mcp-contracts.ts";
import { callTool, META, send } from "../../../../service/src/testing/mcp.ts";
import { faultsOf, hasNoBrowser, overflowsSideways, startConsole } from "../../testing/testing.ts";
import type { TestConsole } from "../../testing/testing.ts";

const HOSTILE = `<img src=x onerror="window.hacked=true">\u202Emoc.live ${"W".repeat(60)}`;

describe.skipIf(hasNoBrowser)("the AI history", { timeout: 180_000 }, () => {
  let started: TestConsole;
  let action: string;

  beforeAll(async () => {
    started = await startConsole();
  });
  afterAll(async () => await started.close());

  test("an empty history says what would stand there", async () => {
    const page = await started.open("/ai-history", { width: 390 });
    await page.getByText("No AI requests yet").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(await overflowsSideways(page)).toBe(false);
  });

  test("entries show client, key, object, kind and refusal, and are filtered", async () => {
    const { service } = started;
    const { key } = await mintKey(service, { name: "Support agent", role: "ai", actor_type: "ai" });
    action = (await makeContract(service, { label: "Refund a payment", requires_confirmation: true }))["key"];
    const { proposal } = (await callTool(service, action, { note: "x" }, { key }))["structuredContent"];
    for (let n = 0; n < 3; n += 1)
      await callTool(service, "junction_proposal_status", { proposal_id: proposal.id }, { key });
    const clientInfo = { name: HOSTILE, version: "1" };
    const meta = { ...META, "io.modelcontextprotocol/clientInfo": clientInfo };
    await send(service, "tools/call", { name: "no.such", arguments: {}, _meta: meta }, { key });

    const page = await started.open("/ai-history");
    const rows = page.getByRole("row");
    const polls = rows.filter({ hasText: "junction_proposal_status" });
    await polls.getByText("3 times").waitFor();
    await polls.getByText("test 1.0.0").waitFor();
    await polls.getByText("Support agent").waitFor();
    expect(await polls.getByRole("link", { name: action, exact: true }).getAttribute("href")).toBe(
      `/approvals/${proposal.id}`,
    );
    await rows.getByRole("link", { name: "Refund a payment" }).waitFor();
    await rows.filter({ hasText: "no.such" }).getByText("action_unknown").waitFor();
    await rows.filter({ hasText: "<img src=x" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(await page.evaluate("window.hacked")).toBeUndefined();

    await page.goto("/ai-history?kind=poll&client=test");
    await polls.waitFor();
    expect(await rows.count()).toBe(2);
    await page.goto("/ai-history?error_code=scope_missing");
    await page.getByText("No AI requests yet").or(page.getByText("No matching")).waitFor();
  });

  test("the list and an entry fit a phone and name the client", async () => {
    const page = await started.open("/ai-history?error_code=action_unknown", { width: 390 });
    const link = page.getByRole("link", { name: "no.such" });
    await link.waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(await overflowsSideways(page)).toBe(false);
    await link.click();
    await page.getByText("Client calls itself").waitFor();
    await page.getByText("<img src=x").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(await overflowsSideways(page)).toBe(false);
    expect(await page.evaluate("window.hacked")).toBeUndefined();
  });
});
