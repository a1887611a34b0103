/** Tests the offline archive, unpacked on a machine without a network, without Node on its PATH and with an empty home folder. */
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { namespacesFault } from "./namespaces.ts";
import { announced, createWorld } from "./world.ts";
import type { World } from "./world.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PACK = join(ROOT, "tools/pack/archive.ts");
/** A larger archive contains something that does not belong there. */
const MOST_BYTES = 110e6;

let folder: string;
let archive: string;
let unpacked: string;
let environment: { readonly PATH: string; readonly HOME: string };
let world: World;
let key: string;

async function junction(...args: string[]): Promise<string> {
  const given = Object.entries({ ...environment, JUNCTION_API_KEY: key }).map(([name, value]) => `${name}=${value}`);
  return await world.command("env", ["-i", ...given, join(unpacked, "junction"), ...args]);
}

// vitest.config.ts reports where this machine has no namespaces, and CI requires them.
describe.skipIf(namespacesFault() !== undefined)("the offline archive", () => {
  beforeAll(async () => {
    folder = await mkdtemp("/var/tmp/junction-archive-");
    execFileSync(process.execPath, [PACK, `${folder}/packed`], { stdio: ["ignore", "inherit", "inherit"] });
    const packed = join(folder, "packed");
    const [name = ""] = await readdir(packed);
    execFileSync("sha256sum", ["--check", "--quiet", `${name}.sha256`], { cwd: packed });
    archive = join(packed, name);
    execFileSync("tar", ["-xzf", archive, "-C", folder]);
    unpacked = join(folder, name.replace(/\.tar\.gz$/, ""));
    environment = { PATH: join(folder, "empty"), HOME: join(folder, "home") };
    for (const path of Object.values(environment)) await mkdir(path);

    world = await createWorld();
    const plan = { command: [join(unpacked, "start")], env: environment, cwd: environment.HOME };
    key = announced(await world.startUntilReady(plan)).sandboxKey;
  });
  afterAll(async () => {
    await world?.close();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  test("is small and contains no file of a data folder, key or test", async () => {
    const listed = execFileSync("tar", ["-tvzf", archive], { encoding: "utf8", maxBuffer: 64e6 });
    const own = listed.split("\n").filter((line) => !line.includes("/node_modules/"));
    expect(
      own.filter((line) => /\/(?:data|secrets|testing)\/|\.(?:key|pem|log)$|\.test\.ts$|\.env/.test(line)),
    ).toEqual([]);
    expect(own.filter((line) => line !== "" && !/^\S+ 0\/0 /.test(line))).toEqual([]);
    expect((await stat(archive)).size).toBeLessThan(MOST_BYTES);
  });

  test("the service is ready, with data in the unpacked folder, console and documentation", async () => {
    expect((await world.api("GET", "/readyz")).body).toMatchObject({ checks: { database: "ok" } });
    expect(await readdir(unpacked)).toContain("data");
    for (const path of ["/", "/docs", "/docs/guide/quickstart", "/docs/api"])
      expect({ path, status: (await world.api("GET", path)).status }).toEqual({ path, status: 200 });
  });

  test("an event is delivered to the built-in inbox", async () => {
    const inbox = await world.api("PUT", "/v1/inboxes/archive", undefined, { key });
    await world.api("POST", "/v1/webhook-endpoints", { url: inbox.body.url, events: ["order.created"] }, { key });
    const fired = await world.api("POST", "/v1/events/fire", { event: "order.created", data: { id: "1042" } }, { key });
    expect(fired.status).toBe(202);
    await world.until(`/v1/events/${fired.body.id}`, key, ({ deliveries }) =>
      deliveries.every(({ state }: { state: string }) => state === "delivered"),
    );
  });

  test("the command line in the archive lists the delivery", async () => {
    expect(JSON.parse(await junction("whoami", "--json"))).toMatchObject({ environment: "sandbox" });
    expect(await junction("deliveries", "list", "--json")).toContain('"delivered"');
  });

  test.each([
    ["TypeScript", "alerts", {}, "Set slack_path, mail_to or both."],
    ["PHP", "scheduling", { signing_key: "a signing key of Calendly" }, "The signing key is set."],
  ])("a connector in %s runs", async (_language, name, settings, message) => {
    await world.api("POST", `/v1/connectors/${name}/enable`, { settings }, { key });
    const tried = await world.api("POST", `/v1/connectors/${name}/test`, undefined, { key });
    expect(tried.body).toMatchObject({ message: expect.stringContaining(message) as string });
  });
});
