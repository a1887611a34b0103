import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { faultsOf, hasNoBrowser, startConsole } from "../../testing/testing.ts";
import type { TestConsole } from "../../testing/testing.ts";

describe.skipIf(hasNoBrowser)("transformations", { timeout: 180_000 }, () => {
  let started: TestConsole;
  let inboxUrl: string;

  const api = async (method: string, path: string, body?: unknown) => await started.service.api(method, path, body);

  beforeAll(async () => {
    started = await startConsole();
    inboxUrl = (await api("PUT", "/v1/inboxes/chat")).body["url"];
  });
  afterAll(async () => await started.close());

  test("a template is made from a preset, tested, saved, and compared in a delivery", async () => {
    const { id } = await started.service.endpoint(inboxUrl, { events: ["parcel.lost"] });
    const page = await started.open(`/endpoints/${id}?tab=transform`);
    await page.getByText("Fill in a template").click();
    await page.getByRole("button", { name: /Start from a preset/ }).click();
    await page.getByRole("option", { name: "Slack" }).click();
    const template = page.getByLabel("Template as JSON");
    expect(await template.inputValue()).toContain("plain_text");
    await template.fill("{");
    await page.getByText("Enter a valid JSON object.").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await template.fill('{"body":{"text":"Lost: ${$.data.parcel}","value":"${$.data.value}"}}');
    await page.getByLabel("Data as JSON").fill('{"parcel":"p-1","value":12.50}');
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await page
      .getByRole("status", { name: "Result of the test" })
      .getByText(/Lost: p-1/)
      .waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Save transformation" }).click();
    await page.getByText(/Transformation saved/).waitFor();
    await page.getByRole("table", { name: "Versions" }).getByText("Template").waitFor();
    const { deliveries } = await started.service.fire("parcel.lost", { parcel: "p-2" });
    const path = `/v1/deliveries/${deliveries[0].id}`;
    await started.service.until(path, (body) => body["state"] === "delivered");
    await page.goto(new URL(`/deliveries/${deliveries[0].id}`, page.url()).href);
    await page.getByText("Before the transformation").waitFor();
    await page.getByText("There is no value at $.data.value.").waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  test("a script with a failing case is refused, and null filters a delivery", async () => {
    const { id } = await started.service.endpoint(inboxUrl, { events: ["parcel.found"] });
    const page = await started.open(`/endpoints/${id}?tab=transform`);
    await page.getByText("Run a script").click();
    await page.getByRole("textbox", { name: "Script" }).fill("export function transform() { return null; }");
    await page.getByLabel("Cases as JSON").fill('[{"event":"parcel.found","data":{},"expect":{}}]');
    await page.getByRole("button", { name: "Save transformation" }).click();
    await page.getByText(/but it returned null/).waitFor();
    await page.getByLabel("Cases as JSON").fill('[{"event":"parcel.found","data":{},"expect":null}]');
    await page.getByRole("button", { name: "Save transformation" }).click();
    await page.getByText(/Transformation saved/).waitFor();
    const { deliveries } = await started.service.fire("parcel.found", {});
    await started.service.until(`/v1/deliveries/${deliveries[0].id}`, (body) => body["state"] === "filtered");
    await page.goto(new URL(`/deliveries/${deliveries[0].id}`, page.url()).href);
    await page.getByText("Filtered. Nothing was sent.").waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });
});
