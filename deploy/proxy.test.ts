import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { request as requestPlain } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { OWNER } from "../apps/service/src/testing/people.ts";
import { freePort } from "../apps/service/src/testing/process.ts";
import { startService } from "../apps/service/src/testing/service.ts";
import type { Parsed, TestService } from "../apps/service/src/testing/test-service.ts";
import { createAuthority } from "../apps/service/src/testing/certificates.ts";
import { debianProgram, whyNoDebianPrograms } from "../tools/debian-programs.ts";

/** AI clients connect through the sample proxies, with the service at the root of its host and under a path. */

const HOST = "junction.example.com";
const CALLBACK = "http://127.0.0.1:7777/callback";
const VERIFIER = "v".repeat(64);
const MINUTES_3 = 180_000;
const missing = await whyNoDebianPrograms();

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

interface Sending {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

type Send = (url: string, sending?: Sending) => Promise<Answer>;

let folder: string;
let first: TestService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "junction-proxy-"));
  first = await startService();
});
afterAll(async () => {
  await first.close();
  await rm(folder, { recursive: true, force: true });
});

const sample = async (name: string): Promise<string> =>
  await readFile(join(import.meta.dirname, "proxy", name), "utf8");

/** Starts the service with this public URL. Returns its port. */
async function startAt(path: string): Promise<number> {
  const env = { JUNCTION_BASE_URL: `https://${HOST}${path}`, JUNCTION_TRUST_PROXIES: "127.0.0.1/32" };
  const { service, close } = await startService({ on: first, env });
  onTestFinished(close);
  return (service.http.server.address() as AddressInfo).port;
}

function running(program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): void {
  const child: ChildProcess = spawn(program, args, { stdio: "ignore", env });
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
  });
}

/** Starts nginx with its sample in front of a port. */
async function startNginx(upstream: number, path: string): Promise<Send> {
  const port = await freePort();
  const { cert, key } = createAuthority().issue([HOST]);
  await writeFile(join(folder, "junction.pem"), cert);
  await writeFile(join(folder, "junction.key"), key);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder};`);
  const own = path === "" ? "" : await sample("path.nginx.conf");
  const text = (await sample("nginx.conf"))
    .replaceAll("/etc/ssl/", `${folder}/`)
    .replace("http {", `http { access_log off; ${temporary.join(" ")}`)
    .replace("listen 80;", `listen 127.0.0.1:${await freePort()};`)
    .replace("listen 443 ssl http2;", `listen 127.0.0.1:${port} ssl;`)
    .replace("server 127.0.0.1:4000;", `server 127.0.0.1:${upstream};`)
    .replace("location / {", `${own}\nlocation / {`);
  const config = join(folder, `nginx-${port}.conf`);
  await writeFile(config, `daemon off; pid ${folder}/pid-${port}; error_log stderr;\n${text}`);
  running(await debianProgram("nginx", "usr/sbin/nginx"), ["-p", folder, "-c", config]);
  return sender(port, true);
}

/** Starts Caddy with its sample in front of a port. Without TLS, because it would order a certificate. */
async function startCaddy(upstream: number, path: string): Promise<Send> {
  const port = await freePort();
  const own = path === "" ? "" : await sample("path.Caddyfile");
  const text = (await sample("Caddyfile"))
    .replace(`\n${HOST} {`, `\n{\n\tadmin off\n}\nhttp://${HOST}:${port} {\n${own}`)
    .replace("127.0.0.1:4000", `127.0.0.1:${upstream}`);
  const config = join(folder, `Caddyfile-${port}`);
  await writeFile(config, text);
  const env = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  running(await debianProgram("caddy", "usr/bin/caddy"), ["run", "--adapter", "caddyfile", "--config", config], env);
  return sender(port, false);
}

/** Sends requests for the public host to a port of the proxy. */
function sender(port: number, hasTls: boolean): Send {
  return async (url, { method = "GET", headers = {}, body = "" } = {}) =>
    await new Promise((resolve, reject) => {
      const { pathname, search } = new URL(url, `https://${HOST}`);
      const length = body === "" ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
      const options = {
        host: "127.0.0.1",
        port,
        method,
        path: pathname + search,
        headers: { Host: hasTls ? HOST : `${HOST}:${port}`, ...length, ...headers },
        ...(hasTls ? { servername: HOST, rejectUnauthorized: false } : {}),
      };
      const sent = (hasTls ? request : requestPlain)(options, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      });
      sent.on("error", reject).end(body);
    });
}

const json = (body: object, headers: Record<string, string> = {}): Sending => ({
  method: "POST",
  headers: { "Content-Type": "application/json", ...headers },
  body: JSON.stringify(body),
});

async function parsed(answer: Promise<Answer>): Promise<Parsed> {
  return JSON.parse((await answer).text);
}

/** Signs the owner in, and returns the headers of the session. */
async function session(send: Send): Promise<Record<string, string>> {
  const entered = await send("/v1/auth/sign-in", json(OWNER));
  const [cookie = ""] = entered.headers["set-cookie"] ?? [];
  return { Cookie: cookie.split(";")[0] ?? "", "X-CSRF-Token": JSON.parse(entered.text).csrf_token };
}

describe.skipIf(missing !== undefined)("an AI client connects", () => {
  test.each([
    ["nginx", "", startNginx],
    ["nginx", "/junction", startNginx],
    ["Caddy", "", startCaddy],
    ["Caddy", "/junction", startCaddy],
  ] as const)(
    "through %s with the service at '%s/'",
    async (_name, path, start) => {
      const send = await start(await startAt(path), path);
      const base = `https://${HOST}${path}`;
      const mcp = `${base}/mcp`;
      await expect.poll(async () => (await send(`${base}/readyz`).catch(() => undefined))?.status).toBe(200);
      expect((await send(`${base}/metrics`)).status).toBe(404);

      const refused = await send(mcp, json({}));
      const resource = /resource_metadata="([^"]+)"/.exec(String(refused.headers["www-authenticate"]))?.[1] ?? "";
      expect([refused.status, resource]).toEqual([
        401,
        `https://${HOST}/.well-known/oauth-protected-resource${path}/mcp`,
      ]);
      expect(await parsed(send(resource))).toMatchObject({ resource: mcp, authorization_servers: [base] });
      const server = await parsed(send(`https://${HOST}/.well-known/oauth-authorization-server${path}`));
      expect(server).toMatchObject({ issuer: base, token_endpoint: `${base}/oauth/token` });

      const metadata = json({ client_name: "Proxied", redirect_uris: [CALLBACK] });
      const { client_id: clientId } = await parsed(send(server.registration_endpoint, metadata));
      const asked = {
        client_id: clientId,
        redirect_uri: CALLBACK,
        response_type: "code",
        code_challenge: createHash("sha256").update(VERIFIER).digest("base64url"),
        code_challenge_method: "S256",
        resource: mcp,
      };
      const led = await send(`${server.authorization_endpoint}?${new URLSearchParams(asked).toString()}`);
      const page = String(led.headers["location"]);
      expect([led.status, page.split("?")[0]]).toEqual([303, `https://${HOST}/connect`]);
      const shown = await send(page, { headers: { Accept: "text/html" } });
      expect(shown.headers["x-frame-options"]).toBe("DENY");
      expect(shown.headers["content-security-policy"]).toContain("frame-ancestors 'none'");

      const consent = await parsed(send("/v1/connected-apps", json(asked, await session(send))));
      const code = new URL(consent.redirect_url).searchParams.get("code") ?? "";
      const form = { ...asked, grant_type: "authorization_code", code, code_verifier: VERIFIER };
      const tokens = await parsed(
        send(server.token_endpoint, {
          method: "POST",
          headers: { "Content-Type": "application/x-www-form-urlencoded" },
          body: new URLSearchParams(form).toString(),
        }),
      );
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
      const message = { jsonrpc: "2.0", id: 1, method: "initialize", params };
      const answer = await send(
        mcp,
        json(message, {
          Accept: "application/json, text/event-stream",
          Authorization: `Bearer ${tokens.access_token}`,
        }),
      );
      expect([answer.status, JSON.parse(answer.text).error]).toEqual([200, undefined]);
    },
    MINUTES_3,
  );
});
