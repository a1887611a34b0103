import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { whyNoVale } from "../vale.ts";
import { checkLanguage, lineOf } from "./check.ts";
import { NEEDS_JUDGEMENT, readGlossary } from "./glossary.ts";

const missing = await whyNoVale();
if (missing !== undefined) console.warn(`The language of our texts is not checked: ${missing}.`);

it("the glossary contains each word that needs judgement", async () => {
  const avoided = (await readGlossary(fileURLToPath(new URL("../..", import.meta.url)))).flatMap(({ avoid }) => avoid);
  expect(NEEDS_JUDGEMENT.filter((word) => !avoided.includes(word))).toEqual([]);
});

describe.skipIf(missing !== undefined)("vale", () => {
  let root = "";

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "junction-language-test-"));
    await write(
      "docs/page.md",
      `${"\n".repeat(2)}Nobody is told. The field \`told\` and "told" are names.\n\n${"word ".repeat(41)}end.\n`,
    );
    await write(
      "apps/console/src/screen.tsx",
      `import { x } from "./told you.ts";
// Of this, nobody is told.
export const a = <p className="told you">It is parked. {x ? "Try it anew" : \`state "parked" of \${x}\`}</p>;
`,
    );
    await write(
      "apps/service/src/a.ts",
      `log.warn({ told: "x" }, "nobody listens");\nfail({ detail: "This is no port." });\n`,
    );
    await write("apps/service/src/a.test.ts", `it("tells ${"a long story ".repeat(5)}", () => {});\n`);
  });

  afterAll(async () => await rm(root, { recursive: true, force: true }));

  it("finds each kind of text by file and line, without code and quoted names", async () => {
    const found = (await checkLanguage(root)).map(({ group, rule, file, line, message }) =>
      [group, rule, `${file}:${line}`, / of '(.*)'/.exec(message)?.[1]]
        .filter((part) => part !== undefined)
        .join(" | "),
    );
    expect(found.toSorted()).toEqual(
      [
        "comments | Comments.Opening | apps/console/src/screen.tsx:2",
        "comments | Junction.Words | apps/console/src/screen.tsx:2 | nobody",
        "comments | Junction.Words | apps/console/src/screen.tsx:2 | told",
        "console | Junction.Glossary | apps/console/src/screen.tsx:3 | parked",
        "console | Junction.Words | apps/console/src/screen.tsx:3 | anew",
        "documents | Junction.Sentences | docs/page.md:5",
        "documents | Junction.Words | docs/page.md:3 | Nobody",
        "documents | Junction.Words | docs/page.md:3 | told",
        "error details | Junction.Words | apps/service/src/a.ts:2 | is no",
        "log messages | Junction.Words | apps/service/src/a.ts:1 | nobody",
        "test names | Tests.Names | apps/service/src/a.test.ts:1",
      ].toSorted(),
    );
  });

  it("finds nothing in the repository", async () => {
    expect((await checkLanguage()).map(lineOf)).toEqual([]);
  });

  async function write(path: string, text: string): Promise<void> {
    await mkdir(join(root, path, ".."), { recursive: true });
    await writeFile(join(root, path), text);
  }
});
