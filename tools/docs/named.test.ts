import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { commands } from "../../apps/cli/src/commands.ts";
import { resourceCommands } from "../../apps/cli/src/resources.ts";
import { MEMBER_ROLES } from "../../apps/service/src/accounts/callers/roles.ts";
import { SURFACES } from "../../apps/service/src/actions/callers/surface.ts";
import { CHANNEL_KINDS } from "../../apps/service/src/actions/approval-channels/channels.schemas.ts";
import { ACTION_TYPES } from "../../apps/service/src/automation/rules/actions.ts";
import { STEP_TYPES } from "../../apps/service/src/automation/workflows/step.ts";
import { SETTINGS } from "../../apps/service/src/config/settings.ts";
import { ABSENT } from "../../apps/service/src/compat/svix/absent.routes.ts";
import { systemEvents } from "../../apps/service/src/events/catalogue/system.ts";
import { COMMANDS } from "../../apps/service/src/operator/commands/forms.ts";
import { CAPABILITIES } from "../../apps/service/src/portal/capabilities.ts";
import { SIGNATURE_SCHEMES } from "../../apps/service/src/webhooks/sources/named-schemes.ts";
import { PRESETS } from "../../apps/service/src/webhooks/sources/presets.ts";
import { senders } from "../../apps/service/src/webhooks/sources/senders.ts";
import { TRANSFORM_PRESETS } from "../../apps/service/src/webhooks/transforms/presets.ts";

/** Compares the pages with what the product has. A table of a page cannot lag behind the code. */

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (file: string): string => readFileSync(root + file, "utf8");
const readme = read("README.md");
const contract = read("docs/reference/contract.md");

interface Api {
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly properties: Record<string, { readonly enum?: string[] }> }>>;
  };
}
const { schemas } = (JSON.parse(read("openapi/openapi.json")) as Api).components;
const enumOf = (schema: string, member: string): readonly (string | null)[] =>
  schemas[schema]?.properties[member]?.enum ?? [];

/** Pages whose names are words of the text and not code. */
const PLAIN = new Set(["docs/guide/inbound.md", "docs/reference/svix.md"]);

describe.each<[what: string, names: readonly string[], page: string]>([
  ["action of a rule", ACTION_TYPES, "docs/guide/rules.md"],
  ["type of a step", STEP_TYPES, "docs/guide/workflows.md"],
  ["capability of the portal", CAPABILITIES, "docs/guide/portal.md"],
  ["role of a member", MEMBER_ROLES, "docs/guide/members.md"],
  ["surface", SURFACES, "docs/guide/actions.md"],
  ["kind of an approval channel", CHANNEL_KINDS, "docs/guide/approval-channels.md"],
  ["system event", systemEvents.map(({ name }) => name), "docs/guide/event-types.md"],
  ["sender", senders.map(({ title }) => title), "docs/guide/inbound.md"],
  ["preset of a source", PRESETS, "docs/guide/inbound.md"],
  ["named scheme", SIGNATURE_SCHEMES, "docs/reference/contract.md"],
  ["preset of a transformation", TRANSFORM_PRESETS.map(({ key }) => key), "docs/guide/transformations.md"],
  ["state of a delivery", enumOf("Delivery", "state").filter(isText), "docs/guide/concepts.md"],
  ["class of an error", enumOf("Delivery", "last_error_class").filter(isText), "docs/reference/contract.md"],
  ["absent part of the API of Svix", ABSENT.map(([what]) => what), "docs/reference/svix.md"],
  ["command", localCommands(), "docs/guide/*.md"],
  [
    "domain",
    (JSON.parse(read("apps/service/src/modules.json")) as string[]).map((name) => `${name}/`),
    "ARCHITECTURE.md",
  ],
])("each %s", (_what, names, page) => {
  test(`is named in ${page}`, () => {
    const text = PLAIN.has(page) ? read(page) : codeOf(page);
    expect(names.length).toBeGreaterThan(1);
    expect(names.filter((name) => !isWord(text, name))).toEqual([]);
  });
});

describe("the README", () => {
  test("has the size of a front page, one picture and two commands", () => {
    expect(readme.length).toBeGreaterThan(6000);
    expect(readme.length).toBeLessThan(8192);
    expect(readme.match(/^!\[/gm)).toHaveLength(1);
    expect(readme.match(/^```sh$/gm)).toHaveLength(2);
  });

  test("has the number of senders that there are", () => {
    for (const page of ["README.md", "CHANGELOG.md", "docs/comparison.md"])
      expect([page, /(\d+) senders/.exec(read(page))?.[1]]).toEqual([page, String(senders.length)]);
  });

  test("has the defaults of the code for its guarantees", () => {
    const waits = SETTINGS.JUNCTION_RETRY_LADDER.fallback.split(",");
    expect(readme).toContain(`waits of ${waits.slice(0, -1).join(", ")} and ${waits.at(-1)}`);
  });

  test("leads to each guide, in at most two steps", () => {
    const guides = globSync("docs/guide/*.md", { cwd: root });
    const near = linksOf("README.md");
    const known = new Set([...near, ...near.filter((file) => file.endsWith(".md")).flatMap((file) => linksOf(file))]);
    expect(guides.filter((guide) => !known.has(guide))).toEqual([]);
  });
});

test("each command that the documents name exists", () => {
  const names = new Set([...commands, ...COMMANDS].map(({ name }) => name));
  const passed = new Set(commands.filter(({ passesOn }) => passesOn === true).map(({ name }) => name));
  const exists = (words: readonly string[]): boolean => {
    const found = [3, 2, 1].map((count) => words.slice(0, count).join(" ")).find((name) => names.has(name));
    if (found !== undefined) return !passed.has(found) || words.length === 1;
    return words.length === 1 && [...names].some((name) => name.startsWith(`${words[0]} `));
  };
  const wrong = documents().flatMap((file) =>
    [...read(file).matchAll(/(?:^|`)junction ((?:[a-z][a-z-]* ?){1,3})/gm)]
      .filter(([, words = ""]) => !exists(words.trim().split(" ")))
      .map(([text]) => `${file}: ${text}`),
  );
  expect(wrong).toEqual([]);
});

test("each setting that the documents name exists", () => {
  const wrong = documents().flatMap((file) =>
    [...read(file).matchAll(/\bJUNCTION_[A-Z_]*[A-Z]\b/g)]
      .map(([name]) => name)
      .filter((name) => !(name.replace(/_FILE$/, "") in SETTINGS) && !OTHER_VARIABLES.has(name))
      .map((name) => `${file}: ${name}`),
  );
  expect(wrong).toEqual([]);
});

/** Variables of the guides' shells, the command line, the SDKs, and the files of an installation. */
const OTHER_VARIABLES = new Set([
  "JUNCTION_KEY",
  "JUNCTION_URL",
  "JUNCTION_API_KEY",
  "JUNCTION_SIGNING_SECRET",
  "JUNCTION_WEBHOOK_SECRET",
  "JUNCTION_OWNER_PASSWORD",
  "JUNCTION_OWN_CONNECTORS",
  "JUNCTION_MEASURE_CONSOLE",
  "JUNCTION_CITUS",
  "JUNCTION_CONSOLE_SERVICE",
]);

test("each section of the contract that the code cites exists", () => {
  const sections = new Map(
    contract
      .split(/^## /m)
      .slice(1)
      .map((text) => [/^\d+/.exec(text)?.[0], text]),
  );
  expect(sections.size).toBeGreaterThan(12);
  const files = globSync(["{apps,packages,tools,bench,faults,world,conformance,sdks}/**/*.{ts,tsx,sql}", "*.md"], {
    cwd: root,
    exclude: ["**/node_modules/**", "**/dist/**"],
  });
  const lost: string[] = [];
  let cited = 0;
  for (const file of files)
    for (const [text, numbers = "", part = ""] of read(file)
      .replaceAll(/\n\s*\* /g, " ")
      .matchAll(CITATION)) {
      cited += 1;
      const cites = (number: string): boolean =>
        sections.get(number)?.toLowerCase().includes(part.toLowerCase()) === true;
      if (!(numbers.match(/\d+/g) ?? []).every(cites)) lost.push(`${file}: ${text}`);
    }
  expect(cited).toBeGreaterThan(100);
  expect(lost).toEqual([]);
});

test("each decision that the code cites exists, by its number or its old one", () => {
  const index = read("docs/decisions/README.md");
  const known = new Set([...index.matchAll(/\b(\d{4})\b/g)].map(([number]) => number));
  const files = globSync(
    ["{apps,packages,tools,bench,faults,world,connectors,deploy,conformance}/**/*.{ts,tsx,sql,md,yaml}"],
    {
      cwd: root,
      exclude: ["**/node_modules/**", "**/dist/**"],
    },
  );
  const lost = files.flatMap((file) =>
    [...read(file).matchAll(/\bdecisions?[ /](0\d{3})\b/g)]
      .filter(([, number = ""]) => !known.has(number))
      .map(([text]) => `${file}: ${text}`),
  );
  expect(lost).toEqual([]);
});

/** "contract, section 5", 'Contract, sections 2 and 9, "keys"', in one line. */
const CITATION = /\bcontract,\s+sections?\s+(\d+(?:(?:, | and )\d+)*)(?:,?\s+(?:row\s+)?["'`]([^"'`]+?)["'`])?/gi;

function documents(): string[] {
  return globSync(["*.md", "docs/**/*.md", "{apps,sdks,connectors,packages,deploy}/**/*.md"], {
    cwd: root,
    exclude: ["docs/decisions/**", "**/node_modules/**"],
  });
}

/** The commands of this program itself. Those of the API's resources have their names from the operations. */
function localCommands(): string[] {
  const ofApi = new Set(resourceCommands.map(({ name }) => name));
  return commands.map(({ name }) => name).filter((name) => !ofApi.has(name));
}

function linksOf(file: string): string[] {
  const folder = file.includes("/") ? file.slice(0, file.lastIndexOf("/") + 1) : "";
  return [...read(file).matchAll(/\]\(([^)#\s:]+)(?:#[^)]*)?\)/g)].map(([, path = ""]) =>
    new URL(path, `file:///${folder}`).pathname.slice(1),
  );
}

/** The code of the pages that a glob selects: blocks and words between backticks. */
function codeOf(pages: string): string {
  const texts = globSync(pages, { cwd: root }).map(read);
  return texts.flatMap((text) => text.match(/^```[^]*?^```$|`[^`\n]+`/gm) ?? []).join("\n");
}

function isWord(text: string, name: string): boolean {
  return new RegExp(String.raw`(?<![\w.])${name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}(?![\w])`).test(
    text,
  );
}

function isText(value: string | null): value is string {
  return value !== null;
}
