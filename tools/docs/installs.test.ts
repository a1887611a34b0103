/** The documentation, the console and the command line show no command that could fetch a package of an unknown owner. */
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const FILES = globSync(
  [
    "*.md",
    "{docs,conformance,requirements,deploy}/**/*.{md,svg}",
    "{apps,connectors,packages,sdks}/*/*.md",
    "{apps,packages,sdks}/**/*.{ts,tsx,mjs,html,php,py,json}",
    "{sdks,apps}/*/*.{json,toml}",
    "deploy/**/*",
    "tools/*.{ts,mjs}",
    "openapi/openapi.json",
  ],
  { cwd: root },
).filter((file) => /\.\w+$|Dockerfile$/.test(file) && !/node_modules|\/dist\/|\.test\.ts$|\/tests?\//.test(file));

/** Commands that can fetch a package from a registry and run or install it. */
const FETCHES =
  /\b(?:npx|npm (?:install|i|add|exec|x|create|init)|yarn (?:add|dlx|global)|pnpm (?:add|dlx|i|install)|bunx?|deno (?:add|install)|pip3? install|pipx|uvx?|poetry add|conda install|composer (?:require|global|create-project)|gem install|cargo (?:add|install)|go (?:get|install)|brew install) [^`"<]+/g;

/** Composer takes the package from this folder, and does not ask Packagist for a package that is there. */
const FROM_FOLDER = "composer config repositories.junction artifact ~/junction/release/composer\n";
const OWN_BY_COMPOSER = "composer require junction-platform/sdk";

/** Files that the reader has made, and packages of others that are meant. */
const KNOWN = [
  "npm install ~/junction/release/junction-platform-sdk-*.tgz",
  // The libraries of Standard Webhooks (github.com/standard-webhooks), and the frameworks of the samples in the portal.
  "npm install standardwebhooks express",
  "pip install standardwebhooks flask",
  "npm install --global ~/junction/release/junction-platform-cli-*.tgz",
  "npm install --global ./tools/junction-platform-cli.tgz",
  "pip install ~/junction/release/junction_platform_sdk-*.whl",
  OWN_BY_COMPOSER,
  "composer require psr/http-server-middleware nyholm/psr7",
  // This command is for contributors.
  "npm install -E …",
  "uv pip compile --generate-hashes --universal --no-annotate -p 3.10 requirements.in -o requirements.txt",
  "cargo install mago --version 1.29.0 --locked",
  "npx -y @modelcontextprotocol/inspector@2.12.0 --cli http://127.0.0.1:4000/mcp \\",
];

test("every command that fetches a package is one of the known ones", async () => {
  expect(FILES.length).toBeGreaterThan(500);
  const found = (await Promise.all(FILES.map(commandsIn))).flat();
  expect(found.filter(({ command }) => !KNOWN.includes(command))).toEqual([]);
  expect(KNOWN.filter((known) => !found.some(({ command }) => command === known))).toEqual([]);
});

test("Composer is pointed at the archive's folder before it is asked for the SDK", async () => {
  const texts = await Promise.all(FILES.map(async (file) => await readFile(join(root, file), "utf8")));
  const asked = texts.flatMap((text) => text.split(`${OWN_BY_COMPOSER}\n`).slice(0, -1));
  expect(asked.length).toBeGreaterThan(1);
  expect(asked.filter((before) => !before.endsWith(FROM_FOLDER))).toEqual([]);
});

async function commandsIn(file: string): Promise<{ file: string; command: string }[]> {
  const text = await readFile(join(root, file), "utf8");
  return [...text.matchAll(FETCHES)].map(([command]) => ({ file, command: command.split("\n")[0]?.trim() ?? "" }));
}
