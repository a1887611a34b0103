import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeSource } from "../../../../service/src/testing/inbound.ts";
import { startService } from "../../../../service/src/testing/service.ts";
import type { TestService } from "../../../../service/src/testing/test-service.ts";
import { UNLIMITED } from "../../../../service/src/testing/subscription.ts";
import type { wire } from "../../api/api.ts";
import { SECRET_LINE, senderCommand, serviceCommand } from "./shell-command.ts";

const run = promisify(execFile);
const SHELLS = (await Promise.all(["bash", "zsh"].map(isInstalled))).flatMap((shell) => shell ?? []);
/** Senders whose proof needs a private key, a web token, or a value within the body. */
const WITHOUT_COMMAND = [
  "adyen",
  "amazon_sns",
  "discord",
  "discord_events",
  "linear",
  "mailgun",
  "microsoft_graph",
  "monday",
  "sendgrid",
  "telnyx",
  "twilio",
  "vonage",
];

async function isInstalled(shell: string): Promise<string | undefined> {
  return await run(shell, ["-c", "exit"]).then(
    () => shell,
    () => undefined,
  );
}

/** Runs a command as a person who replaced the secret and pasted it. */
async function paste(shell: string, command: string | undefined, secret: string): Promise<unknown> {
  if (command === undefined) throw new Error("there is no command");
  const own = command.replace(SECRET_LINE, () => `SECRET='${secret}'`);
  const { stdout } = await run(shell, ["-c", own]);
  try {
    return JSON.parse(stdout);
  } catch {
    return stdout;
  }
}

describe("the command that sends a test event", () => {
  let service: TestService;
  let senders: readonly wire.Sender[];

  const created = async (fields: Record<string, unknown>) => {
    const source = await makeSource(service, fields);
    return { source, shown: source.shown as unknown as wire.InboundEndpointWithSecret };
  };

  beforeAll(async () => {
    service = await startService({ env: UNLIMITED });
    senders = (await service.api("GET", "/v1/senders?limit=100")).body["data"] as readonly wire.Sender[];
  });
  afterAll(async () => await service.close());

  test.each(SHELLS)("%s sends the sample of each sender whose proof can be computed", async (shell) => {
    const refused: unknown[] = [];
    const without: string[] = [];
    for (const sender of senders) {
      const input = { url: "", scheme: sender.scheme, sample: sender.sample };
      if (senderCommand(input) === undefined) {
        without.push(sender.key);
        continue;
      }
      const { source, shown } = await created({ sender: sender.key });
      const answer = await paste(shell, senderCommand({ ...input, url: shown.url }), source.secret);
      const [receipt] = await source.receipts();
      if (receipt?.["status"] !== "ok" || receipt["event_id"] === null) refused.push([sender.key, answer, receipt]);
    }
    expect(refused).toEqual([]);
    expect(without.toSorted()).toEqual(WITHOUT_COMMAND);
  });

  test.each(["github", "slack", "stripe"])(
    "%s: the event has the sample's type, and a wrong secret is refused",
    async (key) => {
      const sender = senders.find((one) => one.key === key);
      if (sender === undefined) throw new Error(`no sender ${key}`);
      const { source, shown } = await created({ sender: key, secret: "a secret of the sender" });
      const command = senderCommand({ url: shown.url, scheme: shown.scheme, sample: sender.sample });
      expect(await paste("bash", command, "another secret")).toMatchObject({ code: "signature_invalid" });
      // Slack shows the text of an answer to people, so that its own is empty.
      await paste("bash", command, "a secret of the sender");
      const [receipt] = await source.receipts();
      expect(receipt).toMatchObject({ status: "ok" });
      expect(sender.event_types).toContain(receipt?.["event_type"]);
    },
  );

  test("the service's own signature is accepted where the sender signs the body alone", async () => {
    const { source, shown } = await created({ sender: "github" });
    const github = senders.find(({ key }) => key === "github");
    if (github === undefined) throw new Error("no sender github");
    const command = serviceCommand({ url: shown.url, scheme: shown.scheme, sample: github.sample });
    expect(await paste("bash", command, source.secret)).toMatchObject({ status: "ok" });
    for (const { scheme, sample } of senders.filter(({ key }) => ["linear", "slack", "discord"].includes(key)))
      expect(serviceCommand({ url: "", scheme, sample })).toBeUndefined();
  });

  test.each(SHELLS)("%s expands nothing of a hostile sample, URL or scheme", async (shell) => {
    const body = `{"type":"x","text":"it's $(touch /tmp/x) \`id\` $HOME \\\\ !! %s \\n"}`;
    const scheme = {
      kind: "hmac",
      algorithm: "sha512",
      encoding: "base64url",
      header: "X-Odd",
      prefix: "$(id)'`!=",
      signed: "it's $HOME `id` {method} {timestamp}\\{body}",
      timestamp_header: "X-Odd-Time",
      timestamp_unit: "milliseconds",
      secret_prefix: "*'$x",
    } as const;
    const { source, shown } = await created({ scheme, secret: "*$x-secret of ours", event_type_path: "$.type" });
    const headers = { "Content-Type": "application/json", "X-Note": "it's `id` $HOME" };
    const command = senderCommand({ url: shown.url, scheme: shown.scheme, sample: { method: "POST", headers, body } });
    expect(await paste(shell, command, source.secret)).toMatchObject({ status: "ok" });
    const [receipt] = await source.receipts();
    expect(await source.receipt(String(receipt?.["id"]))).toMatchObject({
      raw_payload: body,
      headers: { "x-note": "it's `id` $HOME" },
    });
  });

  test("a token in the query and a secret for HTTP Basic are sent", async () => {
    const sample = { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" };
    for (const scheme of [{ kind: "token", query: "key", prefix: "k-" }, { kind: "basic" }] as const) {
      const { source, shown } = await created({ scheme });
      expect(await paste("bash", senderCommand({ url: shown.url, scheme, sample }), source.secret)).toMatchObject({
        status: "ok",
      });
    }
  });
});
