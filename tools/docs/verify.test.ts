import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../run.ts";
import { languages, verdictOf } from "./languages.ts";
import { blocksOf } from "./page.ts";

/** Runs the functions of docs/guide/verify-signatures.md, as they are printed there, on the vectors of the service and the SDKs. */

interface Vector {
  readonly name: string;
  readonly secrets: readonly string[];
  readonly now: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly ok?: boolean;
}

const CASES = [
  "a delivery as it is sent",
  "while a secret overlaps, with the new one",
  "while a secret overlaps, with the old one",
  "signatures of versions to come are passed over",
  "300 seconds old",
  "300 seconds ahead",
  "301 seconds old",
  "301 seconds ahead",
  "another secret",
  "a byte of the body changed",
  "a blank after the body",
  "an empty body",
  "an id that was not signed",
  "a timestamp that was not signed: a replay",
  "no version before the signature",
  "a signature without its padding",
  "a timestamp that is no number",
  "a timestamp with a fraction",
];
const MINUTES_5 = 300_000;
const needed = process.env["JUNCTION_NEED_LANGUAGES"] !== undefined;
const vectors = await vectorsOf();
const blocks = (await blocksOf("guide/verify-signatures.md")).filter(({ words }) => words.includes("verify"));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "junction-verify-"));
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

test("the page has a function for exactly the languages that are tested here", () => {
  expect(blocks.map(({ language }) => language).toSorted()).toEqual(Object.keys(languages).toSorted());
});

describe.each(blocks)("$language", ({ language, code }) => {
  const kind = languages[language];

  test("takes what was rightly signed just now, and nothing else", { timeout: MINUTES_5 }, async ({ skip }) => {
    if (kind === undefined) throw new Error(`nothing runs ${language}`);
    const [program, ...args] = kind.needs;
    const runs = (await run(program, args)).status === 0;
    if (!runs && !needed) skip(`${program} does not run on this machine; .ci/run installs it`);
    const home = await mkdtemp(join(folder, `${language}-`));
    const command = await kind.build(code, home);
    const bodyFile = join(home, "body");
    const verdicts: Record<string, boolean> = {};
    for (const { name, secrets, now, headers, body } of vectors) {
      await writeFile(bodyFile, body);
      const header = (wanted: string): string =>
        Object.entries(headers).find(([one]) => one.toLowerCase() === wanted)?.[1] ?? "";
      verdicts[name] = await verdictOf(command, {
        secret: secrets[0] ?? "",
        id: header("webhook-id"),
        timestamp: header("webhook-timestamp"),
        signatures: header("webhook-signature"),
        now,
        bodyFile,
      });
    }
    expect(verdicts).toEqual(Object.fromEntries(vectors.map(({ name, ok }) => [name, ok === true])));
  });
});

async function vectorsOf(): Promise<readonly Vector[]> {
  const text = await readFile(new URL("../../conformance/webhooks.json", import.meta.url), "utf8");
  const { cases } = JSON.parse(text) as { cases: readonly Vector[] };
  return CASES.map((name) => {
    const found = cases.find((one) => one.name === name);
    if (found === undefined) throw new Error(`conformance/webhooks.json has no case "${name}"`);
    return found;
  });
}
