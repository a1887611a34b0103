/** Follows the guides: runs their blocks as they are written, and uses the installation that results. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { blocksOf } from "../../tools/docs/page.ts";
import { replayed, shell } from "./machine.ts";

const DOCS = join(import.meta.dirname, "../../docs");
const OWNER = { email: "ines@shop.example", name: "Ines Costa", password: "correct horse battery staple" };

/** Opens the link of the first start as a browser does, claims the installation and signs in. */
export async function claimAndSignIn(output: string): Promise<string> {
  const [link = ""] = /http\S+\/setup\?token=\S+/.exec(output) ?? [];
  const headers = { Accept: "text/html" };
  const page = await fetch(link, { headers });
  const html = await page.text();
  expect([page.status, html]).toEqual([200, expect.stringContaining('<div id="root">')]);
  const { origin, searchParams } = new URL(link);
  const script = /<script[^>]+src="([^"]+)"/.exec(html)?.[1] ?? "";
  const reference = await (await fetch(`${origin}/docs/api`, { headers })).text();
  const [renderer = ""] = /\/assets\/reference-\w+\.js/.exec(reference) ?? [];
  for (const path of ["/", script, "/docs", "/docs/guide/self-hosting", "/docs/errors", renderer])
    expect([path, (await fetch(origin + path, { headers })).status]).toEqual([path, 200]);
  const claimed = await post(origin, "/v1/auth/setup", { token: searchParams.get("token"), ...OWNER });
  expect(claimed.status).toBe(201);
  expect((await post(origin, "/v1/auth/sign-in", OWNER)).status).toBe(200);
  const { api_key: key } = (await claimed.json()) as { api_key: string };
  return key;
}

export async function post(
  origin: string,
  path: string,
  body: Readonly<Record<string, unknown>>,
  key?: string,
): Promise<Response> {
  const fields = path.endsWith("sign-in") ? { email: body["email"], password: body["password"] } : body;
  return await fetch(origin + path, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }) },
    body: JSON.stringify(fields),
  });
}

export type Guide = (page: string, heading: string, index: number) => Promise<string>;

interface ReplayedMachine {
  /** Stands for `/`. */
  readonly root: string;
  readonly port: number;
  /** The PATH of an administrator. */
  readonly path: string;
}

/** Returns a function that runs one of the `sh manual` blocks below a heading, as it is written, and returns its output. */
export function guideIn(cwd: string, machine: ReplayedMachine): Guide {
  return async (page, heading, index) => {
    const file = `guide/${page}.md`;
    const text = await readFile(join(DOCS, file), "utf8");
    const first = text.slice(0, text.indexOf(`\n## ${heading}\n`) + 1).split("\n").length;
    const below = (await blocksOf(file)).filter(
      ({ line }) => line > first && !/^## /m.test(between(text, first, line)),
    );
    const code =
      below.filter(({ words }) => words.includes("manual"))[index]?.code ?? `no block ${index} of ${heading}`;
    const env = {
      PATH: `${machine.root}/usr/local/bin:${machine.path}`,
      HOME: cwd,
      VERSION: "v0.1.1",
      VERSION_BEFORE: "v0.1.0",
    };
    const { status, output } = await shell(replayed(code, machine), { cwd, env });
    expect({ code, status, output }).toMatchObject({ code, status: 0 });
    return output;
  };
}

/** The lines between two lines of a text, without both. */
function between(text: string, first: number, last: number): string {
  return text
    .split("\n")
    .slice(first, last - 1)
    .join("\n");
}

interface Keys {
  make(name: string): Promise<void>;
  /** The names of the keys that a test made. */
  names(): Promise<string[]>;
}

/** Data that an installation has or has not: API keys with names. */
export function keysOf(origin: string, key: string): Keys {
  return {
    async make(name) {
      expect((await post(origin, "/v1/keys", { name: `test: ${name}`, permission_mode: "all" }, key)).status).toBe(201);
    },
    async names() {
      const listed = await fetch(`${origin}/v1/keys`, { headers: { Authorization: `Bearer ${key}` } });
      const { data } = (await listed.json()) as { data: readonly { name: string }[] };
      return data.flatMap(({ name }) => (name.startsWith("test: ") ? [name.slice(6)] : [])).toSorted();
    },
  };
}
