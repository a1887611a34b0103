import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startReceiver } from "../../../../service/src/testing/receiver.ts";
import type { Receiver } from "../../../../service/src/testing/receiver.ts";
import { faultsOf, hasNoBrowser, overflowsSideways, startConsole, tabTo } from "../../testing/testing.ts";
import type { TestConsole } from "../../testing/testing.ts";

describe.skipIf(hasNoBrowser)("getting started", () => {
  let started: TestConsole;
  let receiver: Receiver;

  beforeAll(async () => {
    [started, receiver] = await Promise.all([startConsole(), startReceiver()]);
  });
  afterAll(async () => {
    await started.close();
    await receiver.close();
  });

  test("the five steps complete as they happen, from an event to an approved action", async () => {
    const page = await started.open("/start", { environment: "sandbox" });
    await page.getByText("0 of 5").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await tabTo(page, "Fire event");
    await page.keyboard.press("Enter");
    await page.getByText("1 of 5").waitFor();
    await tabTo(page, "Connect inbox and fire event");
    await page.keyboard.press("Enter");
    await page.getByText("2 of 5").waitFor();
    await page.getByRole("heading", { name: /See the delivery.*done/ }).waitFor();

    // The user's own endpoint responds 2xx.
    await tabTo(page, "Create endpoint", "link");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/endpoints");
    await tabTo(page, "Create endpoint");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Create endpoint" }).getByLabel("URL").waitFor();
    await page.keyboard.type(receiver.url);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Endpoint created" }).waitFor();
    await page.goto("/start");
    await page.getByRole("heading", { name: /Verify the signature.*to do/ }).waitFor();
    await tabTo(page, "Fire event");
    await page.keyboard.press("Enter");
    await page.getByText("3 of 5").waitFor();
    expect(receiver.received).toHaveLength(1);

    // A source gets a request that is signed as its page says.
    await tabTo(page, "Create source", "link");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/sources");
    const source = await started.service.api(
      "POST",
      "/v1/inbound-endpoints",
      { name: "Payments", contact_email_path: "$.email", event_type_path: "$.type" },
      { key: started.service.sandboxKey },
    );
    const body = '{"email":"ada@example.com","type":"payment.received"}';
    const signature = createHmac("sha256", source.body.secret).update(body).digest("hex");
    const hit = await fetch(source.body.url, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Service-Inbound-Signature": signature },
      body,
    });
    expect(hit.ok).toBe(true);
    await page.goto("/start");
    await page.getByText("4 of 5").waitFor();

    // An action waits and is approved.
    await tabTo(page, "Request sample action");
    await page.keyboard.press("Enter");
    await page.getByText("Action requested. Review it under Approvals.").waitFor();
    await tabTo(page, "Approvals", "link");
    await page.getByRole("main").getByRole("link", { name: "Approvals" }).press("Enter");
    await page.getByRole("link", { name: /Send a greeting/ }).click();
    await tabTo(page, "Approve");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: /^run_/ }).waitFor();
    await page.goto("/start");
    await page.getByText("5 of 5").waitFor();
    for (const step of ["Fire event", "Connect inbox and fire event", "Request sample action"])
      await page.getByRole("button", { name: step, exact: true }).waitFor();
    // Live counts the steps of the sandbox too.
    const inLive = await started.open("/start", { environment: "live" });
    await inLive.getByText("5 of 5").waitFor();
    // Each step shows its call as code.
    const main = page.getByRole("main");
    expect(await main.getByRole("button", { name: "Show code", exact: true }).count()).toBe(5);
    await main.getByRole("button", { name: "Show code", exact: true }).last().click();
    await page.getByText(/curl -X POST .*\/v1\/actions\/run/).waitFor();
    await page.keyboard.press("Escape");
    expect(await faultsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await overflowsSideways(page)).toBe(false);
  });
});
