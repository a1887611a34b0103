import { chmod, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startService } from "../../service/src/testing/service.ts";
import { commands } from "./commands.ts";
import { fixtures } from "../../../sdks/node/src/testing.ts";
import { atTerminal, cli, home } from "./testing/cli.ts";
import type { TestService } from "../../service/src/testing/test-service.ts";

let service: TestService;
let env: Record<string, string>;

beforeAll(async () => {
  service = await startService();
  env = { JUNCTION_API_KEY: service.key, JUNCTION_BASE_URL: service.baseUrl };
});
afterAll(async () => await service.close());

test("whoami identifies the environment's key, as JSON when output is piped", async () => {
  const { status, stdout, stderr } = await cli(["whoami"], { env });
  expect([status, stderr]).toEqual([0, ""]);
  expect(JSON.parse(stdout)).toMatchObject({ object: "caller", environment: "live", role: "owner" });
});

test("login keeps the key only for this user and never in an argument", async () => {
  const config = await home();
  const options = { env: { XDG_CONFIG_HOME: config } };
  const login = await cli(["login", "--base-url", service.baseUrl], { ...options, input: `${service.key}\n` });
  const file = join(config, "junction", "config.json");
  expect({ ...login, stdout: JSON.parse(login.stdout) as unknown }).toMatchObject({
    status: 0,
    stderr: "",
    stdout: { object: "login", file, workspace: "Test" },
  });
  expect(login.stdout).not.toContain(service.key);
  const modes = await Promise.all(
    [file, join(config, "junction")].map(async (path) => (await stat(path)).mode & 0o777),
  );
  expect(modes).toEqual([0o600, 0o700]);
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ base_url: service.baseUrl, api_key: service.key });
  expect((await cli(["whoami"], options)).status).toBe(0);

  const elsewhere = { env: { ...options.env, JUNCTION_BASE_URL: "https://junction.example.com" } };
  const mixed = await cli(["whoami"], elsewhere);
  expect(mixed).toMatchObject({ status: 78, stdout: "" });
  expect(mixed.stderr).toContain("the saved key belongs to");

  await chmod(file, 0o644);
  const open = await cli(["whoami"], options);
  expect(open.status).toBe(78);
  expect(open.stderr).toContain(`chmod 600 ${file}`);
  await chmod(file, 0o600);

  expect(JSON.parse((await cli(["logout"], options)).stdout)).toEqual({ object: "logout", forgotten: true });
  expect((await cli(["whoami"], options)).status).toBe(78);
});

test("a key that the service rejects is not kept", async () => {
  const config = await home();
  const input = fixtures.apiKey;
  const login = await cli(["login", "--base-url", service.baseUrl], { env: { XDG_CONFIG_HOME: config }, input });
  expect(login.status).toBe(77);
  expect(login.stderr).toMatch(/^junction: .+\n {2}.+\n {2}request: req_\w+\n$/);
  expect(login.stderr).not.toContain(input);
  await expect(stat(join(config, "junction"))).rejects.toThrow("ENOENT");
  const mistyped = await cli(["login"], { env: { XDG_CONFIG_HOME: config }, input: "hunter2" });
  expect(mistyped.status).toBe(65);
  expect(mistyped.stderr).not.toContain("hunter2");
});

test("login prompts for the key at a terminal and does not show it", async () => {
  const config = await home();
  const login = atTerminal(["login", "--base-url", service.baseUrl], { env: { XDG_CONFIG_HOME: config } });
  await login.printed("API key (not shown): ");
  login.type(`${service.key}\r`);
  const { status, stdout } = await login.ended;
  expect(stdout).toContain("Signed in to Test (live) as owner.");
  expect([status, stdout.includes(service.key)]).toEqual([0, false]);
  const whoami = await atTerminal(["whoami"], { env: { XDG_CONFIG_HOME: config } }).ended;
  expect(whoami.stdout).toMatch(/workspace +Test\r\n/);
  expect(whoami.stdout).toContain(`base_url         ${service.baseUrl}`);
});

test("a table is colored only on a terminal, unless NO_COLOR is set", async () => {
  await service.endpoint("http://127.0.0.1:9/", { events: ["test.color"] });
  await service.fire("test.color", {});
  const tail = ["tail", "--since", "1h", "--no-follow"];
  const [plain, colored, piped] = await Promise.all([
    atTerminal(tail, { env: { ...env, NO_COLOR: "1" } }).ended,
    atTerminal(tail, { env }).ended,
    cli(tail, { env }),
  ]);
  expect(colored.stdout).toContain("\u001B[");
  expect(plain.stdout).toContain("test.color");
  expect(plain.stdout).not.toContain("\u001B[");
  expect(JSON.parse(piped.stdout.split("\n")[0] ?? "")).toMatchObject({ object: "delivery", event: "test.color" });
});

test("every command has help with its usage, without a key", async () => {
  const { run } = await import("./run.ts");
  for (const { name } of commands) {
    const printed: string[] = [];
    const io = silentIo(printed);
    expect(await run([...name.split(" "), "--help"], io)).toBe(0);
    expect(printed.join("")).toMatch(new RegExp(`^Usage: junction ${name}\\b`));
  }
  const overview = await cli([]);
  expect(overview).toMatchObject({ status: 0, stderr: "" });
  for (const { name } of commands) expect(overview.stdout).toContain(name.split(" ")[0]);
  expect(await cli(["--version"])).toMatchObject({ status: 0, stdout: "0.1.0\n" });
});

test.each([
  [["trigerr"], 64, "Did you mean `junction trigger`?"],
  [["endpoints", "lst"], 64, "Did you mean `junction endpoints list`?"],
  [["whoami", "--nosuch"], 64, "For usage, run `junction whoami --help`."],
  [["whoami", "more"], 64, "Usage: junction whoami"],
  [["approve"], 64, "Usage: junction approve <proposal>"],
  [["whoami"], 78, "No API key."],
  [["keys", "create"], 64, "Required members: name"],
])("%j without what it needs ends with %i and says: %s", async (args, status, text) => {
  const ran = await cli(args);
  expect(ran).toMatchObject({ status, stdout: "" });
  expect(ran.stderr).toContain(text);
  expect(ran.stderr).not.toMatch(/^ +at /m);
});

test("without its own variable, the command names that of the guides", async () => {
  const ran = await cli(["whoami"], { env: { JUNCTION_KEY: service.key } });
  expect([ran.status, ran.stdout]).toEqual([78, ""]);
  expect(ran.stderr).toContain("Run `export JUNCTION_API_KEY=$JUNCTION_KEY`, or run `junction login`.");
});

test("a key that is typed as an argument is not repeated", async () => {
  for (const args of [["login", service.key], ["login", `--api-key=${service.key}`], [service.key]]) {
    const ran = await cli(args);
    expect(ran.status).toBe(64);
    expect(ran.stdout + ran.stderr).not.toContain(service.key.slice(8));
  }
});

test("with --json, an error is JSON too", async () => {
  const ran = await cli(["events", "get", "evt_1", "--json"], { env });
  expect(JSON.parse(ran.stderr)).toMatchObject({
    error: {
      code: expect.any(String) as string,
      request_id: expect.stringMatching(/^req_/) as string,
      exit_code: ran.status,
    },
  });
  expect(ran.stdout).toBe("");
});

function silentIo(printed: string[]) {
  return {
    env: {},
    canAsk: false,
    isTerminal: true,
    hasColor: false,
    showsProgress: false,
    columns: 80,
    signal: new AbortController().signal,
    out: (text: string) => void printed.push(text),
    err: (text: string) => void printed.push(text),
    input: async () => await Promise.resolve(""),
    ask: async () => await Promise.reject(new Error("asked")),
    hide: () => undefined,
  };
}
