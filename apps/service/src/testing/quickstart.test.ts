import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { freePort } from "./process.ts";

const ROOT = new URL("../../../../", import.meta.url).pathname;
const run = promisify(execFile);

/** Returns the README's commands, as they are written. */
async function commands(): Promise<string[]> {
  const readme = await readFile(join(ROOT, "README.md"), "utf8");
  return [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
}

test("the README's two commands start the service and deliver a signed event", async () => {
  const [start, fire, ...more] = await commands();
  expect(more).toEqual([]);
  const dataDir = await mkdtemp(join(tmpdir(), "junction-quickstart-"));
  const port = await freePort();
  const child = spawn("sh", ["-c", `exec ${start}`], {
    cwd: ROOT,
    env: { ...process.env, JUNCTION_PORT: String(port), JUNCTION_DATA_DIR: dataDir },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  const ids: string[] = [];
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  try {
    await expect.poll(() => text, { timeout: 60_000, interval: 50 }).toMatch(/curl http\S+\/inbox\/\w+\n/);
    const [printed, look] = [...text.matchAll(/^ +(curl .*)$/gm)].map((match) => match[1] ?? "");
    const [key = ""] = /jn_test_\w+/.exec(text) ?? [];
    const own = `${fire?.trim().replace(":4000", `:${port}`)}`;
    for (const command of [printed, own]) {
      const env = { PATH: process.env["PATH"], JUNCTION_KEY: key };
      const fired = JSON.parse((await run("sh", ["-c", `${command} -s`], { env })).stdout);
      expect(fired).toMatchObject({ object: "event", event: "order.created", deliveries: [{ state: "pending" }] });
      ids.push(fired.deliveries[0].id);
    }
    const inbox = async (): Promise<unknown> => JSON.parse((await run("sh", ["-c", `${look} -s`])).stdout);
    for (const id of ids)
      await expect.poll(inbox, { interval: 50 }).toMatchObject({
        messages: expect.arrayContaining([
          expect.objectContaining({ event: "order.created", signature: "valid", delivery_id: id }),
        ]),
      });
  } finally {
    const exited = new Promise((resolve) => child.once("exit", resolve));
    // npm runs in its own process group, and SIGTERM to `npm start` ends the service.
    child.kill("SIGTERM");
    expect(await exited).toBe(0);
    await rm(dataDir, { recursive: true, force: true });
  }
});
