import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MASTER_KEY, startService } from "../../service/src/testing/service.ts";
import { cli } from "./testing/cli.ts";
import type { TestService } from "../../service/src/testing/test-service.ts";

/** Each command consists of two processes, which start slowly on a busy machine. */
const PATIENCE_MS = 600_000;
const NEW = randomBytes(32).toString("base64");
const BOTH = { JUNCTION_MASTER_KEY: NEW, JUNCTION_MASTER_KEY_PREVIOUS: MASTER_KEY };

interface Check {
  readonly name: string;
  readonly status: string;
  readonly detail: string;
  readonly fix: string | null;
}

let before: TestService;
beforeAll(async () => {
  before = await startService();
  await before.endpoint("http://127.0.0.1:9/", { events: ["test.nothing"] });
});
afterAll(async () => await before.database.drop());

const printed: string[] = [];

async function ran(
  words: readonly string[],
  more: Record<string, string>,
): Promise<{ status: number | null; answer: Record<string, unknown>; said: string }> {
  const { status, stdout, stderr } = await cli([...words], { env: { DATABASE_URL: before.database.url, ...more } });
  printed.push(stdout, stderr);
  return { status, answer: stdout.startsWith("{") ? JSON.parse(stdout) : {}, said: stdout + stderr };
}

async function seals(more: Record<string, string>): Promise<Check | undefined> {
  const { answer } = await ran(["doctor"], more);
  return (answer["checks"] as Check[]).find(({ name }) => name === "sealed_values");
}

test(
  "master-key rotate is refused for old processes, and the doctor names each next step",
  async () => {
    expect(await seals({ JUNCTION_MASTER_KEY: MASTER_KEY })).toMatchObject({ status: "ok" });
    expect(await seals(BOTH)).toMatchObject({
      status: "warning",
      detail: expect.stringContaining("a different master key") as string,
      fix: expect.stringContaining("JUNCTION_MASTER_KEY_PREVIOUS") as string,
    });
    const refused = await ran(["master-key", "rotate"], BOTH);
    expect([refused.status, refused.said]).toEqual([1, expect.stringContaining("Nothing was changed")]);
    await before.service.stop();

    expect(await seals(BOTH)).toMatchObject({
      status: "warning",
      detail: expect.stringMatching(/not complete.*endpoint\./) as string,
      fix: expect.stringContaining("junction master-key rotate") as string,
    });
    expect(await seals({ JUNCTION_MASTER_KEY: NEW })).toMatchObject({ status: "failed" });
    const rotated = await ran(["master-key", "rotate"], BOTH);
    expect([rotated.status, rotated.answer["complete"]]).toEqual([0, true]);
    expect(await seals(BOTH)).toMatchObject({
      status: "warning",
      fix: expect.stringContaining("without JUNCTION_MASTER_KEY_PREVIOUS") as string,
    });
    expect(await seals({ JUNCTION_MASTER_KEY: NEW })).toMatchObject({ status: "ok" });
    const unset = await ran(["master-key", "rotate"], { JUNCTION_MASTER_KEY: NEW });
    expect([unset.status, unset.said]).toEqual([1, expect.stringContaining("JUNCTION_MASTER_KEY_PREVIOUS")]);
    for (const key of [MASTER_KEY, NEW]) expect(printed.join("\n")).not.toContain(key);
  },
  PATIENCE_MS,
);
