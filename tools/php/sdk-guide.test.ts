import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../apps/service/src/testing/process.ts";
import { startService } from "../../apps/service/src/testing/service.ts";
import { startLoopbackNames } from "../../apps/service/src/testing/loopback-names.ts";
import { covers } from "../../requirements/covers.ts";
import { run } from "../run.ts";
import type { Ran } from "../run.ts";
import { blocksOf, isShown } from "./guide.ts";
import type { Block } from "./guide.ts";
import { php84, whyNoPhp84 } from "./php84.ts";
import type { Php } from "./php84.ts";
import { createProject } from "./project.ts";
import type { PhpProject } from "./project.ts";
import type { TestService } from "../../apps/service/src/testing/test-service.ts";

/** Tests the packed SDK in a project of its own that follows docs/guide/sdk-php.md word for word, against the real service. */

const MINUTES_5 = 300_000;
const sdk = fileURLToPath(new URL("../../sdks/php/", import.meta.url));
const guide = new URL("../../docs/guide/sdk-php.md", import.meta.url);
const blocks = blocksOf(await readFile(guide, "utf8"));
const missing = await whyNoPhp84();
/** The contract of the action that the guide runs; it waits for a person, so its backend is never called. */
const REFUND = {
  key: "billing.refund",
  label: "Refund a payment",
  surface: ["api"],
  roles: ["owner"],
  requires_confirmation: true,
  audit: true,
  params: { payment_id: { type: "string", required: true }, reason: { type: "string" } },
  endpoint: "https://hooks.example.com/refunds",
};
const isReceiver = (block: Block): boolean => block.code.startsWith("<?php // receive.php");

describe.skipIf(missing !== undefined)("docs/guide/sdk-php.md", () => {
  let php: Php;
  let folder: string;
  let project: PhpProject;
  let service: TestService;
  let names: { address: string; close(): Promise<void> };

  beforeAll(async () => {
    php = await php84();
    folder = await mkdtemp(join(tmpdir(), "junction-php-guide-"));
    project = await createProject(php, folder);
    names = await startLoopbackNames();
    // The service delivers to this machine alone; hooks.example.com is one of its names.
    service = await startService({ env: { JUNCTION_DNS_SERVERS: names.address } });
    const registered = await service.api("POST", "/v1/action-contracts", REFUND);
    if (registered.status !== 201) throw new Error(registered.text);
  }, MINUTES_5);

  afterAll(async () => {
    await service?.close();
    await names?.close();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  test("composer.json is what Packagist takes", async () => {
    const judged = await project.composer("validate", "--strict", "--no-check-lock", join(sdk, "composer.json"));
    expect(judged.output).toContain("is valid");
    expect(judged.status).toBe(0);
  });

  test("the archive holds the SDK and nothing else", async () => {
    const { stdout } = await run("tar", ["-tf", project.archive]);
    const tops = new Set(stdout.split("\n").map((path) => path.replace(/^sdk\//, "").split("/")[0]));
    expect([...tops].filter((name) => name !== "").toSorted()).toEqual([
      "README.md",
      "composer.json",
      "generated",
      "src",
    ]);
  });

  test.each(blocks.filter((block) => !isReceiver(block)))(
    "line $line does what the guide says",
    async (block) => {
      const ran = await follow(block);
      expect(ran).toMatchObject({ status: 0 });
      if (block.prints !== undefined && !isShown(block.prints, ran.output)) expect(ran.output).toBe(block.prints);
    },
    MINUTES_5,
  );

  covers("sdk.php.runtime", "the packed SDK is installed with only the packages that it needs", async () => {
    const installed = JSON.parse((await project.composer("show", "--format=json")).stdout) as {
      installed: { name: string }[];
    };
    expect(installed.installed.map(({ name }) => name)).toEqual([
      "junction-platform/sdk",
      "nyholm/psr7",
      "psr/http-client",
      "psr/http-factory",
      "psr/http-message",
      "psr/http-server-middleware",
    ]);
    expect((await readdir(join(project.folder, "vendor/junction-platform/sdk"))).toSorted()).toEqual([
      "README.md",
      "composer.json",
      "generated",
      "src",
    ]);
  });

  covers(
    ["sdk.call.events-fire", "sdk.handles.signing"],
    "the guide's receiver takes what the service delivers, and nothing else",
    async () => {
      const receiver = blocks.find(isReceiver);
      await writeFile(join(project.folder, "receive.php"), receiver?.code ?? "");
      const port = await freePort();
      const url = `http://127.0.0.1:${port}/receive.php`;
      const { id, secret } = await service.endpoint(url, { events: ["order.created"] });
      const server = await serve(port, secret);
      await service.fire("order.created", { order: { external_id: "10482" } });
      const list = await service.until(
        `/v1/deliveries?endpoint_id=${id}`,
        ({ data }) => data[0]?.state === "delivered",
      );
      await expect.poll(() => server.printed()).toContain(`${list.data[0].id} order.created 10482`);
      const forged = await fetch(url, { method: "POST", body: "{}" });
      expect([forged.status, await forged.text()]).toEqual([401, "signature_missing"]);
      server.stop();
    },
    MINUTES_5,
  );

  /** Runs a block as a reader would: in the project, with the key in the environment. */
  async function follow({ language, code, line }: Block): Promise<Ran> {
    const env = {
      PATH: `${project.programs}:${process.env["PATH"] ?? ""}`,
      HOME: project.home,
      JUNCTION_API_KEY: service.key,
      JUNCTION_BASE_URL: service.baseUrl,
    };
    if (language === "sh") return await run("sh", ["-e", "-c", code], { cwd: project.folder, env });
    const begin = "<?php\n\nrequire 'vendor/autoload.php';\n\n$junction = new Junction\\Client();\n\n";
    const file = join(project.folder, `line-${line}.php`);
    await writeFile(file, code.startsWith("<?php") ? code : begin + code);
    return await php.run([file], { cwd: project.folder, env });
  }

  /** PHP's own web server, with the folder as it is. */
  async function serve(port: number, secret: string): Promise<{ printed(): string; stop(): void }> {
    const env = { ...process.env, WEBHOOK_SECRET: secret };
    const server = spawn(php.program, ["-S", `127.0.0.1:${port}`], { cwd: project.folder, env });
    let printed = "";
    server.stderr.on("data", (bytes: Buffer) => (printed += bytes.toString()));
    const answers = async (): Promise<boolean> =>
      await fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      );
    await expect.poll(answers).toBe(true);
    return { printed: () => printed, stop: () => server.kill() };
  }
});
