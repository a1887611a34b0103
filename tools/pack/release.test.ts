/**
 * The packages of `npm run pack:release`, each installed where nothing else is: a new folder, an empty home folder and empty caches. Each
 * fires an event at a running service and verifies the webhook that the service sends. The PHP package is tried in
 * tools/php/sdk-guide.test.ts, which follows the guide.
 */
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startReceiver } from "../../apps/service/src/testing/receiver.ts";
import type { Received, Receiver } from "../../apps/service/src/testing/receiver.ts";
import { startService } from "../../apps/service/src/testing/service.ts";
import { findPythons } from "../../sdks/python/pythons.ts";
import { nodeProgram, nodeVersions } from "../../sdks/node/test/kit.ts";
import { must, run } from "../run.ts";
import type { Ran } from "../run.ts";
import { CLI_NODE } from "./node.ts";
import type { TestService } from "../../apps/service/src/testing/test-service.ts";

const RELEASE = join(import.meta.dirname, "release.ts");
const CLI_PROGRAM = "lib/node_modules/@junction-platform/cli/bin/junction.js";

const NODE_PROGRAM = `
import { readFileSync } from "node:fs";
import { Junction, webhooks } from "@junction-platform/sdk";

const [body, headers] = process.argv.slice(2);
if (body === undefined) {
  const { id } = await new Junction().events.fire("order.created", { order: { external_id: "1042" } });
  console.log(id);
} else {
  const secret = process.env.WEBHOOK_SECRET;
  console.log(webhooks.verify(readFileSync(body), JSON.parse(readFileSync(headers, "utf8")), secret).event);
}
`;

const PYTHON_PROGRAM = `
import json, os, pathlib, sys
from junction_sdk import Junction, webhooks

if len(sys.argv) == 1:
    with Junction() as junction:
        print(junction.events.fire("order.created", {"order": {"external_id": "1042"}}).id)
else:
    body, headers = (pathlib.Path(path).read_bytes() for path in sys.argv[1:3])
    print(webhooks.verify(body, json.loads(headers), os.environ["WEBHOOK_SECRET"]).event)
`;

const pythons = await findPythons();

let folder: string;
let release: string;
let service: TestService;
let receiver: Receiver;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "junction-release-"));
  release = join(folder, "release");
  await must(process.execPath, [RELEASE, release, ...parts()]);
  service = await startService();
  receiver = await startReceiver();
  const { secret } = await service.endpoint(receiver.url, { events: ["order.created"] });
  await mkdir(join(folder, "home"));
  env = {
    ...packageSettings(),
    PATH: [dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter),
    HOME: join(folder, "home"),
    JUNCTION_API_KEY: service.key,
    JUNCTION_BASE_URL: service.baseUrl,
    JUNCTION_WEBHOOK_SECRET: secret,
    WEBHOOK_SECRET: secret,
  };
});
afterAll(async () => {
  await receiver?.close();
  await service?.close();
  await rm(folder, { recursive: true, force: true });
});

/** A developer's machine without Python leaves that package out; findPythons throws on CI. */
function parts(): string[] {
  return pythons.length > 0 ? ["node", "cli", "php", "python"] : ["node", "cli", "php"];
}

/** Settings with which this machine reaches the registries. */
function packageSettings(): NodeJS.ProcessEnv {
  const settings = /^(?:PIP_|npm_execpath$|SSL_CERT_|REQUESTS_CA_|https?_proxy$|no_proxy$)/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => settings.test(name)));
}

async function fileOf(pattern: RegExp): Promise<string> {
  const files = await readdir(release, { recursive: true });
  return join(release, files.find((file) => pattern.test(file)) ?? `no file like ${String(pattern)}`);
}

/** Fires an event with a program and gives the program the webhook that arrives. */
async function firesAndVerifies(program: (args: readonly string[]) => Promise<Ran>): Promise<void> {
  const fired = await program([]);
  expect(fired).toMatchObject({ status: 0 });
  const id = /evt_\w+/.exec(fired.stdout)?.[0] ?? fired.output;
  const find = (): Received | undefined => receiver.received.find(({ body }) => body.includes(id));
  await expect.poll(find).toBeDefined();
  const { body = "", headers = {} } = find() ?? {};
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\n`);
  const files = ["body.json", "headers.json", "headers.txt"].map((name) => join(folder, name));
  const [bodyFile = "", headersFile = "", linesFile = ""] = files;
  await writeFile(bodyFile, body);
  await writeFile(headersFile, JSON.stringify(headers));
  await writeFile(linesFile, lines.join(""));
  expect(await program(files)).toMatchObject({ status: 0, stdout: expect.stringContaining("order.created") as string });
  await writeFile(bodyFile, body.replace("1042", "1043"));
  expect((await program(files)).status).not.toBe(0);
}

test("SHA256SUMS has the sum of every file, and packing again gives the same bytes", async () => {
  const { stdout } = await must("sha256sum", ["--check", "SHA256SUMS"], { cwd: release });
  const files = (await readdir(release, { recursive: true })).filter((file) => /\.\w+$/.test(file));
  expect(stdout.trim().split("\n")).toHaveLength(files.length);
  const again = join(folder, "again");
  await must("sh", ["-c", 'umask 077 && exec "$@"', "sh", process.execPath, RELEASE, again, ...parts()], {
    env: { ...process.env, TZ: "Asia/Tokyo", LC_ALL: "C" },
  });
  await must("sha256sum", ["--check", join(release, "SHA256SUMS")], { cwd: again });
});

test("an unknown part is refused with the parts that exist", async () => {
  const refused = await run(process.execPath, [RELEASE, join(folder, "none"), "ruby"]);
  expect(refused).toMatchObject({
    status: 2,
    output: expect.stringContaining("Parts: node, cli, python, php.") as string,
  });
});

test.each(["release.ts", "archive.ts"])("%s says in one line what it needs on a machine without git", async (name) => {
  const refused = await run(process.execPath, [join(import.meta.dirname, name), join(folder, "none")], {
    env: { PATH: join(folder, "home") },
  });
  expect(refused.status).toBe(2);
  expect(refused.output).toMatch(/^junction: packing needs git and a clone of the repository\.[^\n]*\n$/);
});

test("the Node SDK is installed from its file alone and works", async () => {
  const project = join(folder, "node");
  await mkdir(project);
  await writeFile(join(project, "package.json"), '{ "private": true }');
  await writeFile(join(project, "use.mjs"), NODE_PROGRAM);
  await must("npm", ["install", "--offline", await fileOf(/sdk-[\d.]+\.tgz$/)], { cwd: project, env });
  await firesAndVerifies(async (args) => await run(process.execPath, [join(project, "use.mjs"), ...args], { env }));
});

describe("the command line, installed from its file alone,", () => {
  let prefix: string;

  beforeAll(async () => {
    prefix = join(folder, "global");
    const tarball = await fileOf(/cli-[\d.]+\.tgz$/);
    await must("npm", ["install", "--offline", "--global", "--prefix", prefix, tarball], { cwd: folder, env });
  });

  const able = nodeVersions.filter((version) => Number(version.split(".")[0]) >= CLI_NODE.major);

  test.each(able)("works on Node %s", async (version) => {
    const node = await nodeProgram(version);
    const junction = async (...args: string[]): Promise<Ran> =>
      await run(node, [join(prefix, CLI_PROGRAM), ...args], { env, cwd: folder });
    expect((await junction("--help")).stdout).toContain("Usage: junction <command>");
    await firesAndVerifies(async ([body, , headers = ""]) =>
      body === undefined
        ? await junction("trigger", "order.created", "--set", "order.external_id=1042", "--json")
        : await junction("verify", body, "--headers", headers),
    );
  });

  test("is `junction` on the PATH, and says where the commands of an installation run", async () => {
    const ran = await run(join(prefix, "bin/junction"), ["backup", "--out", "backup.tar"], { env, cwd: folder });
    expect(ran).toMatchObject({ status: 78, output: expect.stringContaining("offline archive") as string });
  });

  test("says which Node it needs on one that is too old", async () => {
    const [oldest = ""] = nodeVersions;
    const ran = await run(await nodeProgram(oldest), [join(prefix, CLI_PROGRAM), "--help"], { env });
    expect(ran).toMatchObject({ status: 78, output: `junction needs Node >= 20.3; this is v${oldest}.\n` });
  });
});

describe.skipIf(pythons.length === 0)("the Python SDK", () => {
  test("is installed from its wheel, with what it needs from PyPI, and works", async () => {
    const home = join(folder, "venv");
    await must(pythons.at(-1)?.program ?? "", ["-m", "venv", home]);
    const python = join(home, "bin/python");
    const wheel = await fileOf(/\.whl$/);
    await must(python, ["-m", "pip", "install", "--quiet", "--no-cache-dir", wheel], { cwd: folder, env });
    await writeFile(join(folder, "use.py"), PYTHON_PROGRAM);
    await firesAndVerifies(async (args) => await run(python, [join(folder, "use.py"), ...args], { env, cwd: folder }));
  });

  test("has a source archive with its sources and its metadata, and nothing else", async () => {
    const { stdout } = await must("tar", ["-tzf", await fileOf(/sdk-[\d.]+\.tar\.gz$/)]);
    const files = stdout
      .trim()
      .split("\n")
      .map((path) => path.split("/").slice(1).join("/"));
    expect(files.filter((file) => !file.startsWith("src/junction_sdk/")).toSorted()).toEqual([
      "PKG-INFO",
      "README.md",
      "pyproject.toml",
    ]);
    expect(files.filter((file) => file.includes("__pycache__"))).toEqual([]);
  });
});
