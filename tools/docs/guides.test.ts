import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BIN } from "../../apps/cli/src/testing/cli.ts";
import { startService } from "../../apps/service/src/testing/service.ts";
import { run } from "../run.ts";
import { blocksOf, statusesOf } from "./page.ts";
import type { PageBlock } from "./page.ts";
import type { TestService } from "../../apps/service/src/testing/test-service.ts";

/** The pages' commands, run in order in one shell against a real service; their answers are held against what the pages show. */

const PAGES = [
  "guide/quickstart.md",
  "guide/concepts.md",
  "guide/verify-signatures.md",
  "guide/endpoint-sign-in.md",
  "guide/receiver-was-down.md",
  "guide/issues.md",
  "guide/pull.md",
  "guide/receive-in-order.md",
  "guide/inbound.md",
  "guide/mapping-cookbook.md",
  "guide/actions.md",
  "guide/standing-approvals.md",
  "guide/approval-channels.md",
  "guide/mcp-tasks-and-events.md",
  "guide/wake-chatgpt.md",
  "guide/connect-ai-apps.md",
  "guide/undo.md",
  "guide/keys.md",
  "guide/environments.md",
  "guide/configuration-as-code.md",
  "guide/leaving.md",
  "guide/members.md",
  "guide/sign-in-with-oidc.md",
  "guide/event-types.md",
  "guide/transformations.md",
  "guide/tenants.md",
  "guide/portal.md",
  "guide/move-from-svix.md",
  "guide/contacts.md",
  "guide/rules.md",
  "guide/workflows.md",
  "guide/http-calls.md",
  "guide/assistant.md",
  "guide/self-hosting.md",
  "guide/upgrade.md",
  "../skills/send-webhooks/SKILL.md",
  "../skills/receive-a-sender/SKILL.md",
  "../skills/let-an-agent-act/SKILL.md",
];
/** Pages with commands that only a machine of its own can run. */
const MANUAL = new Set([
  "guide/quickstart.md",
  "guide/pull.md",
  "guide/keys.md",
  "guide/endpoint-sign-in.md",
  "guide/move-from-svix.md",
  "guide/sign-in-with-oidc.md",
  "guide/self-hosting.md",
  "guide/upgrade.md",
]);
/** Pages whose reader is the owner, with a live key. */
const OWNERS = new Set([
  "guide/actions.md",
  "guide/standing-approvals.md",
  "guide/approval-channels.md",
  "guide/mcp-tasks-and-events.md",
  "guide/wake-chatgpt.md",
  "guide/connect-ai-apps.md",
  "guide/undo.md",
  "guide/keys.md",
  "guide/environments.md",
  "guide/members.md",
  "guide/sign-in-with-oidc.md",
  "guide/event-types.md",
  "guide/tenants.md",
  "guide/portal.md",
  "guide/move-from-svix.md",
  "guide/workflows.md",
  "guide/assistant.md",
  "../skills/let-an-agent-act/SKILL.md",
]);
const MARK = "\u241eblock";

let service: TestService;
let folder: string;

beforeAll(async () => {
  // This is the default: the pages reach nothing on this machine but the built-in inbox.
  service = await startService({ env: { JUNCTION_ALLOW_TARGETS: "" } });
  folder = await mkdtemp(join(tmpdir(), "junction-docs-"));
  // This curl also reports the status of each response, in addition to the output of the page's own command.
  const { stdout } = await run("sh", ["-c", "command -v curl"]);
  await writeFile(
    join(folder, "curl"),
    `#!/bin/sh\nexec ${stdout.trim()} -w '%{stderr}${MARK} %{http_code}\\n' "$@"\n`,
  );
  await chmod(join(folder, "curl"), 0o755);
  await writeFile(join(folder, "junction"), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`);
  await chmod(join(folder, "junction"), 0o755);
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

describe.each(PAGES)("docs/%s", (file) => {
  test("its commands answer what it says, in order", async () => {
    const blocks = await blocksOf(file);
    const commands = blocks.filter((block) => block.language === "sh" && !block.words.includes("manual"));
    if (commands.length === 0) return;
    const { answers, statuses } = await obeyed(file, commands);
    for (const [at, block] of commands.entries()) {
      const where = `${file}:${block.line}`;
      const wanted = statusesOf(block);
      const got = statuses[at] ?? [];
      if (wanted === undefined) expect({ where, got }).toEqual({ where, got: [] });
      // A block that waits polls, so the same statuses may repeat.
      else if (block.code.includes("until ")) expect({ where, got: [...new Set(got)] }).toEqual({ where, got: wanted });
      else expect({ where, got }).toEqual({ where, got: wanted });
      const shown = blocks[blocks.indexOf(block) + 1];
      if (shown?.words.includes("answer") === true) holds(JSON.parse(shown.code), lastJson(answers[at] ?? ""), where);
    }
  });

  test("its JSON blocks are valid JSON, and each block is of a checked kind", async () => {
    for (const { language, words, code, line } of await blocksOf(file)) {
      if (language === "json") expect(() => JSON.parse(code) as unknown, `${file}:${line}`).not.toThrow();
      else if (words.includes("manual")) {
        expect([file, MANUAL.has(file)]).toEqual([file, true]);
        expect({ line, ...(await run("sh", ["-nc", code])) }).toMatchObject({ line, status: 0 });
      } else if (language !== "sh")
        expect([line, words, ["text", "html", "yaml"].includes(language) || words.includes("verify")]).toEqual([
          line,
          words,
          true,
        ]);
    }
  });
});

interface Obeyed {
  /** Output of each block. */
  readonly answers: readonly string[];
  readonly statuses: readonly (readonly number[])[];
}

async function obeyed(file: string, blocks: readonly PageBlock[]): Promise<Obeyed> {
  const script = blocks.map(({ code }) => `echo; echo '${MARK}'; echo '${MARK}' >&2\n${code}`).join("\n");
  const env = {
    PATH: `${folder}:${process.env["PATH"] ?? ""}`,
    HOME: folder,
    JUNCTION_KEY: OWNERS.has(file) ? service.key : service.sandboxKey,
    SANDBOX_KEY: service.sandboxKey,
    EMAIL: "owner@example.com",
    PASSWORD: "correct horse battery",
  };
  const program = script.replaceAll("http://127.0.0.1:4000", service.baseUrl).replaceAll("/tmp/", `${folder}/`);
  const ran = await run("bash", ["-euc", program], { env, cwd: folder });
  if (ran.status !== 0) throw new Error(`${file} ended with ${ran.status}:\n${ran.output.slice(-3000)}`);
  const told = ran.output.slice(ran.stdout.length);
  const marked = new RegExp(`${MARK} (\\d+)`, "g");
  return {
    answers: ran.stdout.split(`${MARK}\n`).slice(1),
    statuses: told
      .split(`${MARK}\n`)
      .slice(1)
      .map((part) => [...part.matchAll(marked)].map(([, status]) => Number(status))),
  };
}

/** Returns the last JSON document that a block printed. It spans several lines where it repeats a caller's text of several lines. */
function lastJson(output: string): unknown {
  const lines = output.trimEnd().split("\n");
  const first = lines.findLastIndex((line) => line.startsWith("{"));
  const isWhole = lines[first]?.endsWith("}") === true;
  return JSON.parse(isWhole ? (lines[first] ?? "") : lines.slice(first).join("\n")) as unknown;
}

/** Expects that a response has the content that the page shows: names and kinds of values, and short words to the letter, except values that differ each time. */
function holds(shown: unknown, got: unknown, where: string): void {
  if (Array.isArray(shown)) {
    expect([where, Array.isArray(got)]).toEqual([where, true]);
    for (const [at, one] of shown.entries()) holds(one, (got as unknown[])[at], `${where}/${at}`);
  } else if (typeof shown === "object" && shown !== null) {
    expect([where, typeof got]).toEqual([where, "object"]);
    for (const [name, value] of Object.entries(shown))
      holds(value, (got as Record<string, unknown>)[name], `${where}/${name}`);
  } else if (typeof shown === "string" && isOnce(shown)) expect([where, typeof got]).toEqual([where, "string"]);
  else expect([where, got]).toEqual([where, shown]);
}

function isOnce(text: string): boolean {
  return /…|^[a-z]{2,4}_|^https?:|^\d{4}-/.test(text);
}
