import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inspector } from "../../../../../tools/mcp/programs.ts";
import { mintKey } from "../../testing/keys.ts";
import { makeContract } from "../../testing/mcp-contracts.ts";
import { connected } from "../../testing/oauth.ts";
import { joined, signIn } from "../../testing/people.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

/** Tests the server with other clients: the command line of the official inspector, and the commands of the guide. */

const GUIDE = new URL("../../../../../docs/guide/mcp.md", import.meta.url);
const PACKAGE = new URL("../../../../../tools/mcp/inspector/package.json", import.meta.url);
const MINUTES_5 = 300_000;

const tool = await inspector();
let service: TestService;
let backend: Receiver;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "junction-mcp-"));
  service = await startService();
  backend = await startReceiver();
  backend.answer((response) => response.writeHead(200, { "Content-Type": "application/json" }).end('{"done":true}'));
});
afterAll(async () => {
  await service.close();
  await backend.close();
  await rm(folder, { recursive: true, force: true });
});

/** Returns the output of a command, regardless of its exit code. The inspector keeps its files in a separate home folder. */
/** Returns the proposal for an action, as soon as there is one. */
async function proposalFor(action: string): Promise<Parsed> {
  const waiting = async (): Promise<Parsed[]> =>
    (await service.api("GET", `/v1/proposals?state=proposed&action=${action}`)).body["data"];
  await expect.poll(waiting).toHaveLength(1);
  return (await waiting())[0];
}

/** Approves as another person than the one whose key proposed. */
async function approve({ id, params_hash: hash }: Parsed): Promise<void> {
  const person = await joined(service, "admin");
  const answer = await person.call("POST", `/v1/proposals/${String(id)}/approve`, { params_hash: hash });
  expect(answer.status).toBe(200);
}

async function shell(command: string, key = service.key): Promise<string> {
  const path = [tool?.bin, dirname(process.execPath), process.env["PATH"]].filter((one) => one !== undefined);
  const env = { PATH: path.join(delimiter), HOME: folder, JUNCTION_KEY: key };
  try {
    return (await promisify(execFile)("sh", ["-c", command], { env, timeout: MINUTES_5 })).stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    return stdout + stderr;
  }
}

async function inspect(args: string, key = service.key): Promise<Parsed> {
  const command = `mcp-inspector --cli ${service.baseUrl}/mcp --header "Authorization: Bearer $JUNCTION_KEY" --format json ${args}`;
  const printed = await shell(command, key);
  try {
    // A second line says that the tool's result is an error.
    return JSON.parse(printed.split("\n", 1)[0] ?? "");
  } catch {
    throw new Error(`the inspector printed: ${printed}`);
  }
}

// Without the registry these tests are skipped on a developer's machine. CI always runs them.
describe.skipIf(tool === undefined)("the official inspector", () => {
  test.each(["legacy", "modern"])(
    "lists and calls tools by the %s protocol",
    async (era) => {
      const runs = await makeContract(service, {
        endpoint: backend.url,
        params: { count: { type: "int", required: true } },
      });
      const waits = await makeContract(service, {
        endpoint: backend.url,
        requires_confirmation: true,
        destructive: true,
      });
      const [running, waiting] = [runs, waits].map(({ key }) => String(key).replaceAll(".", "_"));
      const by = `--protocol-era ${era}`;
      const listed = await inspect(`${by} --method tools/list --strict`);
      const names = listed["result"]["tools"].map(({ name }: { name: string }) => name);
      expect(names).toEqual(expect.arrayContaining(["junction_proposal_status", running, waiting]));
      const ran = await inspect(`${by} --method tools/call --tool-name ${running} --tool-arg count=3`);
      expect(ran["result"]).toMatchObject({
        isError: false,
        structuredContent: { status: "executed", result: { done: true } },
      });
      const asking = inspect(`${by} --method tools/call --tool-name ${waiting} --tool-arg note=x`);
      const proposal = await proposalFor(String(waits["key"]));
      const told = await inspect(
        `${by} --method tools/call --tool-name junction_proposal_status --tool-arg proposal_id=${proposal["id"]}`,
      );
      expect(told["result"]["structuredContent"]).toMatchObject({ state: "proposed" });
      // In the modern protocol, the inspector knows tasks: it waits until a person has decided.
      if (era === "modern") await approve(proposal);
      const status = era === "modern" ? "executed" : "pending_confirmation";
      expect((await asking)["result"]).toMatchObject({ isError: false, structuredContent: { status } });
      const refused = await inspect(
        `${by} --method tools/call --tool-name ${running} --tool-args-json '{"count":3,"more":1}'`,
      );
      expect(refused["result"] ?? refused).toMatchObject({
        isError: true,
        structuredContent: { code: "validation_failed" },
      });
    },
    MINUTES_5,
  );

  test(
    "the guide's commands create a key and an action, then list and propose it",
    async () => {
      const { version } = {
        version: JSON.parse(await readFile(PACKAGE, "utf8"))["dependencies"]["@modelcontextprotocol/inspector"],
      };
      const blocks = await guideBlocks(`npx -y @modelcontextprotocol/inspector@${version}`);
      const [makeKey = "", makeAction = "", list = "", call = "", bare = ""] = blocks;
      expect(blocks).toHaveLength(5);
      const { key } = JSON.parse(await shell(makeKey));
      expect(JSON.parse(await shell(makeAction))).toMatchObject({ object: "action_contract", key: "payment.refund" });
      expect(JSON.parse(await shell(list, key))["tools"].map(({ name }: { name: string }) => name)).toContain(
        "payment_refund",
      );
      expect(JSON.parse(await shell(call, key))["structuredContent"]).toMatchObject({ status: "pending_confirmation" });
      expect(JSON.parse(await shell(bare, key))).toMatchObject({
        result: { structuredContent: { proposal: { action: "payment.refund", state: "proposed" } } },
      });
      const calls = await service.api("GET", "/v1/inboxes/backend/messages");
      expect(calls.body["data"]).toEqual([]);
    },
    MINUTES_5,
  );

  test(
    "lists and calls tools with the access token of a connected app",
    async () => {
      const { key } = await makeContract(service, { endpoint: backend.url });
      const { access } = await connected(service, await signIn(service));
      const name = String(key).replaceAll(".", "_");
      const listed = await inspect("--method tools/list --strict", access);
      expect(listed["result"]["tools"].map((one: Parsed) => one.name)).toContain(name);
      const ran = await inspect(`--method tools/call --tool-name ${name} --tool-arg note=x`, access);
      expect(ran["result"]).toMatchObject({ isError: false, structuredContent: { status: "executed" } });
    },
    MINUTES_5,
  );

  test(
    "a wrong key ends it with what is wrong",
    async () => {
      const revoked = await mintKey(service);
      await service.api("POST", `/v1/keys/${revoked.id}/revoke`);
      expect(await inspect("--method tools/list", revoked.key)).toMatchObject({ error: { code: "auth_required" } });
    },
    MINUTES_5,
  );
});

/** The guide's shell blocks, with this service's addresses and the program that is installed. */
async function guideBlocks(npx: string): Promise<string[]> {
  const guide = await readFile(GUIDE, "utf8");
  return [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) =>
    block.replaceAll("http://127.0.0.1:4000", service.baseUrl).replaceAll(npx, "mcp-inspector"),
  );
}
