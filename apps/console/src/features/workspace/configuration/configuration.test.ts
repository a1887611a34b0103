import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { joined } from "../../../../../service/src/testing/people.ts";
import { faultsOf, hasNoBrowser, overflowsSideways, startConsole } from "../../../testing/testing.ts";
import type { Page, TestConsole } from "../../../testing/testing.ts";

const URL = "http://127.0.0.1:9/hook";

describe.skipIf(hasNoBrowser)("the page of the configuration", () => {
  let started: TestConsole;

  beforeAll(async () => {
    started = await startConsole();
  });
  afterAll(async () => {
    await started.close();
  });

  async function choose(page: Page, content: unknown): Promise<void> {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Choose file" }).click(),
    ]);
    await chooser.setFiles({ name: "junction.json", mimeType: "application/json", buffer: Buffer.from(text) });
  }

  test("downloads the export, shows what a file changes, and applies it", async () => {
    const page = await started.open("/configuration", { width: 390, height: 844 });
    await page.getByText("This environment has no objects yet.").waitFor();
    const endpoints = [{ name: "billing", url: URL, events: ["order.*"], description: "Old" }];
    await choose(page, { version: 1, endpoints, inboxes: [{ name: "laptop" }] });
    const changes = page.getByRole("region", { name: "Changes" });
    await changes.getByText("2 to create, 0 to change, 0 to delete").waitFor();
    expect(await changes.innerText()).toContain("billing");
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Apply configuration" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Apply configuration" }).click();
    await page.getByText("The configuration was applied.").waitFor();

    await page.reload();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("junction-live.json");
    const exported = JSON.parse(await readFile(await download.path(), "utf8"));
    expect(exported).toMatchObject({ version: 1, endpoints, inboxes: [{ name: "laptop" }] });

    await page.getByText("Delete what a section of the file lacks").click();
    await choose(page, { version: 1, endpoints: [{ ...endpoints[0], description: "New" }], inboxes: [] });
    await changes.getByText("0 to create, 1 to change, 1 to delete").waitFor();
    const text = await changes.innerText();
    for (const word of ["/description", '"Old"', '"New"', "laptop"]) expect(text).toContain(word);
    expect(await overflowsSideways(page)).toBe(false);
    expect(await faultsOf(page)).toEqual([]);
    await choose(page, exported);
    await changes.getByText("Nothing would change.").waitFor();
    expect(await page.getByRole("button", { name: "Apply configuration" }).count()).toBe(0);
  });

  test("names each place of a wrong file, and refuses other texts", async () => {
    const page = await started.open("/configuration");
    await choose(page, { version: 1, endpoints: [{ name: "a", url: URL, events: ["*"], colour: "red" }] });
    const places = page.getByRole("list", { name: "Places that are refused" });
    await places.getByText("/endpoints/0/colour").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await choose(page, "version: 1");
    await page.getByText("The file contains no JSON.").waitFor();
  });

  test("requests an approval where the workspace requires one, and viewers only compare", async () => {
    const settings = { require_approval_for_configuration: true };
    await started.service.api("PATCH", "/v1/workspaces/current", { settings });
    const page = await started.open("/configuration");
    await choose(page, { version: 1, inboxes: [{ name: "desk" }] });
    await page.getByRole("button", { name: "Request approval" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Request approval" }).click();
    await page.getByRole("link", { name: "View the proposal" }).click();
    await page.getByRole("heading", { level: 1, name: "Apply a configuration" }).waitFor();
    await page.getByText("create inbox").waitFor();
    expect(await page.getByRole("main").innerText()).toContain("desk");

    const { email, password } = await joined(started.service, "viewer");
    const viewers = await started.open("/configuration", { as: { email, password } });
    await viewers.getByText("You can compare a file").waitFor();
    await choose(viewers, { version: 1, inboxes: [{ name: "desk" }] });
    await viewers.getByText("1 to create").waitFor();
    expect(await viewers.getByRole("button", { name: "Request approval" }).count()).toBe(0);
  });
});
