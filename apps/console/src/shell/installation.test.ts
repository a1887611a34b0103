import { execFile } from "node:child_process";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { joined } from "../../../service/src/testing/people.ts";
import { freePort, startProcess } from "../../../service/src/testing/process.ts";
import type { ServiceProcess } from "../../../service/src/testing/process.ts";
import { faultsOf, hasNoBrowser, overflowsSideways, OWNER, startConsole, tabTo } from "../testing/testing.ts";
import type { Page, TestConsole } from "../testing/testing.ts";

const run = promisify(execFile);

let started: TestConsole;

beforeAll(async () => {
  if (!hasNoBrowser) started = await startConsole();
});
afterAll(async () => await started?.close());

describe.skipIf(hasNoBrowser)("after a claim, with nothing but defaults", () => {
  let folder: string;
  let dataDir: string;
  let service: ServiceProcess;

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "junction-claimed-")));
    dataDir = join(folder, "data");
    service = startProcess({ JUNCTION_DATA_DIR: dataDir }, await freePort());
  });
  afterAll(async () => {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test("the console shows the data's location and the missing backup until one is made", async () => {
    const [link = ""] = /http:\/\/\S+\/setup\?token=\S+/.exec(await service.ready()) ?? [];
    const page = await started.open(link, { as: null });
    await page.getByLabel("Your name").fill("Ines Costa");
    await page.getByLabel("E-mail").fill("ines@example.com");
    await page.getByLabel("Password").fill("a long enough password");
    await page.getByRole("button", { name: "Claim and sign in" }).click();
    await page.getByRole("link", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "Getting started" }).waitFor();
    await page.getByRole("heading", { name: "No backup yet" }).waitFor();

    await page.goto(`${service.baseUrl}/`);
    await page.getByRole("heading", { name: "No backup yet" }).waitFor();
    await page.getByText("Embedded PostgreSQL (for evaluation and small installations)").waitFor();
    await page.getByText(dataDir, { exact: true }).waitFor();
    expect(await page.getByText("Database folder").count()).toBe((await hasDatabaseApart(dataDir)) ? 1 : 0);
    expect(await page.getByRole("complementary", { name: "Address of this installation" }).count()).toBe(0);
    const command = await page.getByRole("region", { name: "Backup command" }).innerText();

    // Only the path of the file differs from the command in the console.
    const file = join(folder, "first.tar");
    await run("sh", ["-c", `${command} --out ${file}`], { cwd: folder, env: { PATH: process.env["PATH"] } });
    await page.reload();
    await page.getByText("Last backup").getByText("first.tar").waitFor();
    expect(await page.getByRole("heading", { name: "No backup yet" }).count()).toBe(0);
    await page.goto(`${service.baseUrl}/settings`);
    await page.getByRole("heading", { name: "Installation" }).waitFor();
    await page.getByText("first.tar").waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });
});

/** Returns true where PostgreSQL's user cannot enter the folder, so that the database is elsewhere. */
async function hasDatabaseApart(dataDir: string): Promise<boolean> {
  return await realpath(join(dataDir, "postgres.location")).then(
    () => true,
    () => false,
  );
}

describe.skipIf(hasNoBrowser)("what the operator sees of the installation", () => {
  test("can be dismissed by keyboard, fits both themes and 320 px, stays in the settings", async () => {
    const page = await started.open("/", { width: 320, height: 640 });
    const notice = page.getByRole("heading", { name: "No backup yet" });
    await notice.waitFor();
    await page.getByText("External PostgreSQL (from DATABASE_URL)").waitFor();
    expect(await overflowsSideways(page)).toBe(false);
    expect(await faultsOf(page)).toEqual([]);
    const guide = await page
      .getByRole("link", { name: "Back up with Docker or systemd, and restore" })
      .getAttribute("href");
    const answer = await page.request.get(guide ?? "");
    expect([answer.status(), (await answer.text()).includes('id="back-up"')]).toEqual([200, true]);
    await tabTo(page, "Dismiss");
    await page.keyboard.press("Enter");
    await expect.poll(async () => await notice.count()).toBe(0);
    await readInstallation(page, async () => await page.reload());
    expect(await notice.count()).toBe(0);
    await page.goto("/settings");
    await page.getByText("None yet").waitFor();
    expect(await overflowsSideways(page)).toBe(false);
  });

  test("opened at localhost, each screen shows the setting to copy until it is dismissed", async () => {
    const { origin, page } = await openAtLocalhost(OWNER);
    const banner = page.getByRole("complementary", { name: "Address of this installation" });
    await banner.waitFor();
    expect(await banner.innerText()).toContain(
      `You opened the console at ${origin}, but this installation's address is ${started.service.baseUrl}.`,
    );
    expect(await banner.locator("code").innerText()).toBe(`JUNCTION_BASE_URL=${origin}`);
    await banner.getByRole("button", { name: "Copy setting" }).click();
    await banner.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(`JUNCTION_BASE_URL=${origin}`);
    expect(await faultsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await overflowsSideways(page)).toBe(false);

    await page.goto(`${origin}/endpoints`);
    await banner.waitFor();
    await tabTo(page, "Dismiss address notice");
    await page.keyboard.press("Enter");
    await expect.poll(async () => await banner.count()).toBe(0);
    await readInstallation(page, async () => await page.reload());
    expect(await banner.count()).toBe(0);
  });

  test("developers and viewers see none of it, and their console does not request it", async () => {
    for (const role of ["developer", "viewer"]) {
      const { page, asked } = await openAtLocalhost(await joined(started.service, role));
      await page.getByRole("heading", { name: "You're all caught up" }).waitFor();
      await page.getByText("Over time").waitFor();
      expect([role, await shownOf(page), asked]).toEqual([role, 0, []]);
    }
  });

  test("the owner of a workspace that is not the operator's sees none of it", async () => {
    await started.service.database.query("update workspace set is_operators = false");
    const { page, asked } = await openAtLocalhost(OWNER);
    await page.getByRole("heading", { name: "You're all caught up" }).waitFor();
    await page.getByText("Over time").waitFor();
    await expect.poll(() => asked.length).toBeGreaterThan(0);
    expect(await shownOf(page)).toBe(0);
    await started.service.database.query("update workspace set is_operators = true");
  });
});

async function shownOf(page: Page): Promise<number> {
  const banner = page.getByRole("complementary", { name: "Address of this installation" });
  return await banner.or(page.getByRole("heading", { name: "No backup yet" })).count();
}

/** Waits for a response of the API that the page requests. */
async function readInstallation(page: Page, act: () => Promise<unknown>): Promise<void> {
  const read = page.waitForResponse("**/v1/installation");
  await act();
  await (await read).finished();
  await page.getByRole("heading", { level: 1 }).waitFor();
}

interface AtLocalhost {
  readonly origin: string;
  readonly page: Page;
  /** Requests for the installation. */
  readonly asked: readonly string[];
}

async function openAtLocalhost(person: { readonly email: string; readonly password: string }): Promise<AtLocalhost> {
  const page = await started.open("/sign-in", { as: null });
  const origin = started.service.baseUrl.replace("127.0.0.1", "localhost");
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/v1/installation")) asked.push(request.url());
  });
  await page.goto(`${origin}/sign-in`);
  await page.getByLabel("E-mail").fill(person.email);
  await page.getByLabel("Password").fill(person.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Home" }).waitFor();
  return { origin, page, asked };
}
