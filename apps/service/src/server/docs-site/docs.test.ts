import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { faultsOf, hasNoBrowser, overflowsSideways, startConsole } from "../../../../console/src/testing/testing.ts";
import type { TestConsole } from "../../../../console/src/testing/testing.ts";
import { sendRaw } from "../../testing/raw-http.ts";
import { startService } from "../../testing/service.ts";
import { isRoute, ordered, pathOf } from "./contents.ts";
import type { Group } from "./contents.ts";
import { rendered } from "./markdown.ts";
import { serverManifest } from "./server-manifest.ts";
import type { TestService } from "../../testing/test-service.ts";

const folder = fileURLToPath(new URL("../../../../../docs", import.meta.url));
const groups = JSON.parse(readFileSync(`${folder}/contents.json`, "utf8")) as readonly Group[];
const files = ["", "guide/", "reference/"].flatMap((place) =>
  readdirSync(`${folder}/${place}`)
    .filter((name) => name.endsWith(".md"))
    .map((name) => place + name),
);

describe("the table of contents", () => {
  const listed = ordered(groups, files).flatMap(({ pages }) => pages);

  test("no page of docs/, docs/guide and docs/reference is missing from docs/contents.json, and none is there twice", () => {
    const pages = listed.filter((page) => !isRoute(page));
    expect(pages.toSorted()).toEqual(files.filter((file) => file !== "README.md").toSorted());
  });

  test("each page begins with what its reader can do at the end", () => {
    const promises =
      /^(?:By the end of this page, you will (?:have|know)|This page (?:shows how to|lists|defines)|In (?:ten|15) minutes, you)\b/;
    const pages = files.filter((file) => file !== "README.md");
    const openings = pages.map(
      (file) => [file, rendered(file, readFileSync(`${folder}/${file}`, "utf8"), () => undefined)] as const,
    );
    expect(openings.filter(([, { description }]) => !promises.test(description)).map(([file]) => file)).toEqual([]);
  });

  test("every entry exists", () => {
    const named = groups.flatMap(({ pages }) => pages).filter((page) => !page.includes("*"));
    expect(named.filter((page) => !listed.includes(page))).toEqual([]);
  });
});

describe("a page's Markdown", () => {
  const page = (source: string): string => rendered("guide/a.md", source, (file) => known[file]).html;
  const known: Readonly<Record<string, string>> = { "guide/b.md": "/docs/guide/b", "c.md": "/docs/c" };

  test("contains no raw HTML and no address that is a script", () => {
    const html = page(
      '# A\n\n<script>alert(1)</script> <b onclick="x">b</b>\n\n[x](javascript:alert(1))\n\n```sh"><i\n<i>\n```\n',
    );
    expect(html).not.toMatch(/<script|<b |<i>|href="javascript/);
    expect(html).toContain("&lt;script&gt;");
  });

  test("links to files become links to pages, and repository files are only named", () => {
    const html = page("# A\n\n[b](b.md#x) [c](../c.md) [d](../decisions/d.md) [e](https://e.example) [f](#a)\n");
    expect(html).toContain('<a href="/docs/guide/b#x">b</a> <a href="/docs/c">c</a>');
    expect(html).toContain('<span class="file" title="../decisions/d.md in the repository">d</span>');
    expect(html).toContain('<a href="https://e.example">e</a> <a href="#a">f</a>');
  });

  test("headings have the unique anchors that GitHub gives them", () => {
    const { sections } = rendered("a.md", "# A `b`: c, d!\n\n## Same\n\ntext\n\n## Same\n", () => undefined);
    expect(sections.map(({ id }) => id)).toEqual(["a-b-c-d", "same", "same-1"]);
    expect(sections.map(({ text }) => text.trim())).toEqual(["", "text", ""]);
  });
});

describe("over HTTP", () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startService();
  });
  afterAll(async () => await service.close());

  const get = async (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    await fetch(service.baseUrl + path, { headers, redirect: "manual" });

  test("the front page shows the reference first, and then every page", async () => {
    const answer = await get("/docs");
    const html = await answer.text();
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const main = html.slice(html.indexOf("<main"));
    expect(main.indexOf('href="/docs/api"')).toBeLessThan(main.indexOf('class="groups"'));
    for (const file of files) expect(html).toContain(`href="${pathOf(file)}"`);
  });

  test("each page names its own address and loads only existing local files", async () => {
    const wanted = new Set<string>();
    for (const path of files.map(pathOf)) {
      const answer = await get(path);
      const html = await answer.text();
      expect([path, answer.status]).toEqual([path, 200]);
      expect(html).toContain(`<link rel="canonical" href="${service.baseUrl}${path}">`);
      expect(html.match(/<h1/g)).toHaveLength(1);
      expect(html).not.toContain('src=""');
      expect(html).not.toMatch(/<(?:script|link rel="stylesheet"|img)[^>]*(?:src|href)="https?:/);
      expect(html).not.toMatch(/<script(?![^>]*src=)|\sstyle=|\son\w+=/);
      for (const [, address = ""] of html.matchAll(/(?:src|href|data-search)="(\/[^"#]*)/g)) wanted.add(address);
    }
    const lost = await Promise.all([...wanted].map(async (path) => ((await get(path)).ok ? [] : [path])));
    expect(lost.flat()).toEqual([]);
  });

  test("each page is Markdown with the suffix .md, and for clients that prefer it", async () => {
    const pages = [...files.map(pathOf), "/docs/errors", "/docs/errors/conflict", "/docs/api"];
    for (const path of pages) {
      const plain = await get(`${path}.md`);
      const text = await plain.text();
      expect([path, plain.status, plain.headers.get("content-type")]).toEqual([
        path,
        200,
        "text/markdown; charset=utf-8",
      ]);
      expect(text).toMatch(/^# /m);
      const chosen = await get(path, { Accept: "text/markdown, text/html;q=0.9, */*;q=0.1" });
      expect([path, await chosen.text(), chosen.headers.get("vary")]).toEqual([path, text, "Accept, Accept-Encoding"]);
      for (const Accept of ["text/html, text/markdown;q=0.5", "*/*", "text/markdown;q=0"])
        expect((await get(path, { Accept })).headers.get("content-type")).toContain("text/html");
    }
    expect((await get("/docs/guide/none.md")).status).toBe(404);
  });

  test("the links of Markdown pages lead to existing Markdown pages and files", async () => {
    const wanted = new Set<string>();
    for (const path of files.map(pathOf))
      for (const [, address = ""] of (await (await get(`${path}.md`)).text()).matchAll(/\]\((\/[^)#\s]*)/g))
        wanted.add(address);
    expect(wanted).toContain("/docs/guide/keys.md");
    const lost = await Promise.all([...wanted].map(async (path) => ((await get(path)).ok ? [] : [path])));
    expect(lost.flat()).toEqual([]);
  });

  test("/llms.txt names every page once with its description, and /llms-full.txt contains them", async () => {
    const [short, full] = [await get("/llms.txt"), await get("/llms-full.txt")];
    expect([short.headers.get("content-type"), full.status]).toEqual(["text/plain; charset=utf-8", 200]);
    const [list, all] = [await short.text(), await full.text()];
    const named = [...list.matchAll(/^- \[[^\]]+\]\(([^)]+)\)(: .+)?$/gm)];
    const addresses = named.map(([, address = ""]) => address.replace(service.baseUrl, ""));
    const pages = ordered(groups, files).flatMap(({ pages: of }) => of);
    expect(addresses).toEqual(pages.map((page) => `${pathOf(page)}.md`));
    expect(
      named.filter(([, address = "", about]) => !/(?:api|errors)\.md$/.test(address) && about === undefined),
    ).toEqual([]);
    for (const file of files) {
      const text = (await (await get(`${pathOf(file)}.md`)).text()).trim();
      expect([file, all.includes(text)]).toEqual([file, true]);
    }
  });

  test("/server.json describes the MCP server for registries, by the domain of the installation", async () => {
    const sent = await get("/server.json");
    expect(sent.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(await sent.json()).toMatchObject({
      name: "local.junction/junction",
      description: expect.stringMatching(/^.{1,100}$/),
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      remotes: [{ type: "streamable-http", url: `${service.baseUrl}/mcp` }],
    });
    const named = (baseUrl: string): unknown =>
      (JSON.parse(serverManifest({ baseUrl, version: "1.0.0" })) as { name: unknown }).name;
    expect(named("https://hooks.example.com/junction")).toBe("com.example.hooks/junction");
    expect(named("http://[::1]:4000")).toBe("local.junction/junction");
  });

  test("every response has a policy against inline scripts and other hosts", async () => {
    for (const path of ["/docs", "/docs/guide/cli", "/docs/none"]) {
      const { headers } = await get(path, { Accept: "text/html" });
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
      expect(policy).not.toMatch(/unsafe|\*/);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  test("a cached page is not sent again, and assets are cached permanently", async () => {
    const first = await get("/docs/guide/cli");
    const again = await get("/docs/guide/cli", { "If-None-Match": first.headers.get("etag") ?? "" });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    const [style = ""] = /\/docs\/assets\/site\.\w+\.css/.exec(await first.text()) ?? [];
    const asset = await get(style);
    expect(asset.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(asset.headers.get("content-type")).toBe("text/css; charset=utf-8");
  });

  test("a page is compressed only for clients that accept it", async () => {
    const ask = async (accept: string): Promise<string | undefined> =>
      (await sendRaw(service.baseUrl, { method: "GET", path: "/docs", headers: { "Accept-Encoding": accept } }))
        .headers["content-encoding"];
    expect([await ask("gzip, br"), await ask("gzip")]).toEqual(["br", "gzip"]);
    expect(await ask("gzip;q=0")).toBeUndefined();
  });

  test("an unknown path returns 404: a page for browsers, a problem for programs", async () => {
    const page = await get("/docs/guide/none", { Accept: "text/html" });
    expect(page.status).toBe(404);
    expect(await page.text()).toMatch(/id="query"[^]*<h1>Page not found/);
    const problem = await get("/docs/../package.json%00");
    expect(problem.status).toBe(404);
    const { status, headers } = await get("/docs/guide/none.md");
    expect([status, headers.get("content-type")]).toEqual([404, "application/problem+json; charset=utf-8"]);
    const slash = await get("/docs/");
    expect([slash.status, slash.headers.get("location")]).toEqual([308, "/docs"]);
  });

  test("the search's index has each page, each heading and each error", async () => {
    const [address = ""] = /\/docs\/assets\/search\.\w+\.json/.exec(await (await get("/docs")).text()) ?? [];
    const entries = (await (await get(address)).json()) as { page: string; path: string; text: string }[];
    const paths = entries.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        ...files.map(pathOf),
        "/docs/guide/doctor#clock",
        "/docs/errors/rate_limited",
        "/docs/api#tag/events/fireEvent",
      ]),
    );
    expect(entries.find(({ path }) => path === "/docs/guide/doctor#clock")?.text).toContain(
      "The difference between the clocks",
    );
  });
});

describe.skipIf(hasNoBrowser)("in a browser", () => {
  let site: TestConsole;

  beforeAll(async () => {
    site = await startConsole();
  });
  afterAll(async () => await site.close());

  test("axe finds no violations in either theme, and no page is wider than 320 px", async () => {
    for (const path of [
      "/docs",
      "/docs/guide/concepts",
      "/docs/guide/verify-signatures",
      "/docs/reference/configuration",
      "/docs/errors",
      "/docs/errors/rate_limited",
    ]) {
      for (const width of [1440, 390]) {
        const page = await site.open(path, { width, as: null });
        expect({ path, width, faults: await faultsOf(page) }).toEqual({ path, width, faults: [] });
        await page.setViewportSize({ width: 320, height: 800 });
        expect({ path, sideways: await overflowsSideways(page) }).toEqual({ path, sideways: false });
        await page.close();
      }
    }
  });

  test("the search finds a heading, an operation and an error by keyboard alone", async () => {
    const page = await site.open("/docs", { as: null });
    await page.keyboard.press("Control+k");
    await page.keyboard.type("clock doctor");
    const results = page.getByRole("option");
    await results
      .filter({ hasText: /doctor.*clock/i })
      .first()
      .waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.waitForURL(/guide\/doctor/);
    await page.keyboard.press("/");
    await page.keyboard.type("fire an event post");
    await results.filter({ hasText: "POST /v1/events/fire" }).first().waitFor();
    await page.keyboard.press("Escape");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.getByRole("button", { name: /Search/ }).click();
    await page.keyboard.type("rate_limited");
    await results.filter({ hasText: "rate_limited" }).first().waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/docs\/errors\/rate_limited/);
  });

  test("a search without results says so", async () => {
    const page = await site.open("/docs", { as: null });
    await page.getByRole("button", { name: /Search/ }).click();
    await page.keyboard.type("xyzzy");
    await page.getByText("No results. Try fewer words.").waitFor();
  });

  test("the theme that the reader chose in the console is used", async () => {
    const page = await site.open("/docs", { as: null });
    await page.evaluate(() => {
      globalThis.localStorage.setItem("junction.theme", "dark");
    });
    await page.reload();
    expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
  });

  test("code is copied, neighbors are linked, and old operation addresses lead to the reference", async () => {
    const page = await site.open("/docs/guide/doctor", { as: null });
    await page.getByRole("button", { name: "Copy" }).first().click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe(
      'junction doctor --base-url "$JUNCTION_BASE_URL"\n',
    );
    await page.getByRole("navigation", { name: "Previous and next" }).getByRole("link", { name: /Next/ }).click();
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.goto("/docs#/me/getCaller");
    await page.waitForURL(/\/docs\/api#tag\/me\/getCaller/);
  });
});
