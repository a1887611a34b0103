import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startService } from "../../testing/service.ts";
import { createConsole } from "./console.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
let folder: string;

beforeAll(async () => {
  service = await startService();
  folder = await mkdtemp(join(tmpdir(), "junction-console-"));
  await mkdir(join(folder, "assets"));
  await writeFile(join(folder, "index.html"), '<script nonce="JUNCTION_CSP_NONCE"></script>');
  await writeFile(join(folder, "manifest.json"), "{}");
  await writeFile(join(folder, "assets/a-1.js"), "export {};");
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

const HTML = "text/html,application/xhtml+xml,*/*;q=0.8";
const asked = async (path: string, accept = HTML): Promise<Response> =>
  await fetch(service.baseUrl + path, { headers: { Accept: accept } });

test("the console serves / and every browser page outside the service's own paths", async () => {
  for (const path of ["/", "/approvals/prop_1", "/deliveries?state=failed", "/no/such/page"]) {
    const page = await asked(path);
    expect([path, page.status, page.headers.get("content-type")]).toEqual([path, 200, "text/html; charset=utf-8"]);
    expect(await page.text()).toContain('<div id="root">');
  }
});

test("unknown service paths are a problem in browsers, and unknown pages for other clients", async () => {
  for (const [path, accept] of [
    ["/v1/nothing", HTML],
    ["/v1", HTML],
    ["/assets/none.js", HTML],
    ["/assets/..%2findex.html", HTML],
    ["/manifest.json", "*/*"],
    ["/approvals/prop_1", "*/*"],
  ] as const) {
    const answer = await asked(path, accept);
    expect([path, answer.status, answer.headers.get("content-type")]).toEqual([
      path,
      404,
      "application/problem+json; charset=utf-8",
    ]);
  }
  const posted = await fetch(`${service.baseUrl}/approvals/prop_1`, { method: "POST", headers: { Accept: HTML } });
  expect(posted.status).toBe(404);
});

test("each page has a nonce, runs only its own code and cannot be framed", async () => {
  const nonces = new Set<string>();
  for (const _ of [1, 2]) {
    const page = await asked("/");
    const policy = page.headers.get("content-security-policy") ?? "";
    const nonce = /script-src 'nonce-([\w-]{22})' 'strict-dynamic'/.exec(policy)?.[1] ?? "";
    nonces.add(nonce);
    const html = await page.text();
    expect(html).not.toContain("JUNCTION_CSP_NONCE");
    for (const [tag] of html.matchAll(/<(?:script|style|link rel="(?:stylesheet|modulepreload)")[^>]*>/g)) {
      expect(tag).toContain(`nonce="${nonce}"`);
    }
    expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`style-src 'self' 'nonce-${nonce}'`);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(page.headers.get("x-frame-options")).toBe("DENY");
    expect(page.headers.get("referrer-policy")).toBe("same-origin");
    expect(page.headers.get("cache-control")).toBe("no-cache");
    expect(page.headers.get("x-content-type-options")).toBe("nosniff");
  }
  expect(nonces.size).toBe(2);
});

test("files are cached permanently by name, and compressed as the browser accepts", async () => {
  const html = await (await asked("/")).text();
  const path = /src="(\/assets\/index-[^"]+\.js)"/.exec(html)?.[1] ?? "";
  const plain = await service.service.http.inject({ url: path });
  expect([plain.statusCode, plain.headers["content-encoding"]]).toEqual([200, undefined]);
  expect(plain.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  expect(plain.headers["content-type"]).toBe("text/javascript; charset=utf-8");
  const brotli = await service.service.http.inject({ url: path, headers: { "accept-encoding": "gzip, deflate, br" } });
  expect([brotli.headers["content-encoding"], brotli.headers["vary"]]).toEqual(["br", "Accept-Encoding"]);
  expect(brotliDecompressSync(brotli.rawPayload).equals(plain.rawPayload)).toBe(true);
  const gzip = await service.service.http.inject({ url: path, headers: { "accept-encoding": "br;q=0, gzip" } });
  expect(gzip.headers["content-encoding"]).toBe("gzip");
  expect(gunzipSync(gzip.rawPayload).equals(plain.rawPayload)).toBe(true);
  expect((await asked("/favicon.svg")).headers.get("content-type")).toBe("image/svg+xml");
});

test("a page without a built console says how to build it", async () => {
  const page = await createConsole(join(folder, "nothing")).page({ path: "/", isSignedIn: false });
  expect(page.status).toBe(503);
  expect(page.body).toContain("node tools/console/build.ts");
});

test("only files of the build are served, and a later build is found", async () => {
  const late = join(folder, "late");
  const one = createConsole(late);
  expect(await one.file("/assets/a-1.js", undefined)).toBeUndefined();
  await mkdir(join(late, "assets"), { recursive: true });
  await writeFile(join(late, "assets/a-1.js"), "export {};");
  expect((await one.file("/assets/a-1.js", undefined))?.status).toBe(200);
  const made = createConsole(folder);
  for (const path of ["/manifest.json", "/index.html", "/assets", "/assets/../index.html", "/../package.json"]) {
    expect(await made.file(path, undefined)).toBeUndefined();
  }
});

test("a file that a build writes again is found, with its new content", async () => {
  const rebuilt = await mkdtemp(join(tmpdir(), "junction-console-rebuilt-"));
  const one = createConsole(rebuilt);
  await mkdir(join(rebuilt, "assets"));
  for (const content of ["<svg/>", "<svg id='later'/>"]) {
    await writeFile(join(rebuilt, "favicon.svg"), content);
    expect((await one.file("/favicon.svg", undefined))?.body.toString()).toBe(content);
  }
  await writeFile(join(rebuilt, "assets/a-1.js"), "export {};");
  expect((await one.file("/assets/a-1.js", "br, gzip"))?.headers).not.toHaveProperty("Content-Encoding");
  await writeFile(join(rebuilt, "assets/a-1.js.gz"), gzipSync("export {};"));
  expect((await one.file("/assets/a-1.js", "br, gzip"))?.headers["Content-Encoding"]).toBe("gzip");
  await rm(rebuilt, { recursive: true });
});

test("a path outside of the build is not a file", async () => {
  for (const path of [
    "/../a-1.js",
    "/assets/../favicon.svg",
    "/assets/..\\a.js",
    "/assets/%2e%2e/a.js",
    "/assets",
    "/assets/.js",
  ])
    expect([path, await createConsole(folder).file(path, "br")]).toEqual([path, undefined]);
});

test("a page preloads its screen, or the sign-in screen when signed out", async () => {
  const preloaded = async (path: string, cookie = ""): Promise<string[]> => {
    const page = await fetch(service.baseUrl + path, { headers: { Accept: HTML, cookie } });
    const html = await page.text();
    const found = [...html.matchAll(/<link rel="modulepreload"[^>]*href="([^"]+)"/g)].map(([, file = ""]) => file);
    for (const file of found) expect([file, (await asked(file)).status]).toEqual([file, 200]);
    return found;
  };
  const screen = (files: readonly string[]): string[] =>
    files
      .flatMap((file) => /\/(home|sign-in|delivery|deliveries|layout)-[\w-]{8}\.js$/.exec(file)?.[1] ?? [])
      .toSorted();
  const session = "junction_session=of_somebody";
  expect(screen(await preloaded("/", session))).toEqual(["home", "layout"]);
  expect(screen(await preloaded("/deliveries/dlv_1", session))).toEqual(["delivery", "layout"]);
  expect(screen(await preloaded("/deliveries?state=failed", session))).toEqual(["deliveries", "layout"]);
  expect(screen(await preloaded("/"))).toEqual(["sign-in"]);
  expect(screen(await preloaded("/sign-in", session))).toEqual(["sign-in"]);
  expect(await preloaded("/no/such/page", session)).toEqual(await preloaded("/__proto__", session));
});

test("only the workspace's portal_origins may frame the portal's page", async () => {
  const { body } = await service.api("GET", "/v1/workspaces/current");
  const policyOf = async (path: string): Promise<string> => {
    const page = await asked(path);
    expect([path, page.status, page.headers.get("x-frame-options")]).toEqual([path, 200, null]);
    expect(page.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
    return /frame-ancestors [^;]+/.exec(page.headers.get("content-security-policy") ?? "")?.[0] ?? "";
  };
  const own = `/portal/?workspace=${body["id"]}`;
  expect(await policyOf(own)).toBe("frame-ancestors 'none'");
  const portal_origins = ["https://app.example.com", "http://localhost:3000"];
  await service.api("PATCH", "/v1/workspaces/current", { settings: { portal_origins } });
  expect(await policyOf(own)).toBe("frame-ancestors https://app.example.com http://localhost:3000");
  for (const path of [
    "/portal/",
    "/portal/?workspace=x",
    "/portal/?workspace=ws_1",
    "/portal/?workspace=a&workspace=b",
  ])
    expect([path, await policyOf(path)]).toEqual([path, "frame-ancestors 'none'"]);
  expect((await asked("/portal/none")).status).toBe(404);
});

test("other sites load the portal's element, and none of its other files", async () => {
  const element = await asked("/portal/junction-portal.js", "*/*");
  expect([element.status, element.headers.get("cross-origin-resource-policy")]).toEqual([200, "cross-origin"]);
  const file = /\/portal\/assets\/[\w.-]+\.js/.exec(await (await asked("/portal/")).text())?.[0] ?? "";
  const script = await asked(file, "*/*");
  expect([script.status, script.headers.get("cross-origin-resource-policy")]).toEqual([200, "same-origin"]);
  expect((await asked("/portal/assets/..%2findex.html", "*/*")).status).toBe(404);
});
