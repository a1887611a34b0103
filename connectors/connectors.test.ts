import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readPublicKey, REPOSITORY_KEY, verifyFolder } from "../apps/service/src/connectors/registry/connectors.ts";
import { PHPS } from "../apps/service/src/connectors/sandbox/testing/php.ts";
import { reportText, testConnector } from "../apps/service/src/connectors/testkit/kit.ts";
import { CONNECTORS_HERE } from "../apps/service/src/testing/repository-connectors.ts";
import { covers } from "../requirements/covers.ts";

/** All that this repository brings: signed as they are, and good by the kit that authors use. */

const MINUTES_15 = 900_000;
const folders = await readdir(CONNECTORS_HERE, { withFileTypes: true });
const keys = folders.filter((one) => one.isDirectory()).map(({ name }) => name);
const PHP = ["crm-mirror", "helpdesk", "scheduling"];

covers("connector.folder.signed", "each is signed by the repository's key, as it lies here", async () => {
  for (const key of keys)
    expect(await verifyFolder(join(CONNECTORS_HERE, key), [readPublicKey(REPOSITORY_KEY)])).toMatchObject({ key });
});

test("the six are there", () => {
  expect(keys.toSorted()).toEqual(["alerts", "commerce", "crm-mirror", "helpdesk", "scheduling", "stripe"]);
});

describe("the conformance kit finds nothing wrong with", () => {
  covers(
    "connector.folder.self-contained",
    "those in TypeScript",
    async () => {
      for (const key of keys.filter((one) => !PHP.includes(one))) await isGood(key, null);
    },
    MINUTES_15,
  );

  for (const [name, program] of PHPS)
    covers(
      ["connector.file.class", "connector.hook.key"],
      `those in PHP, on ${name}`,
      async () => {
        const php = await program();
        for (const key of PHP) await isGood(key, php);
      },
      MINUTES_15,
    );
});

async function isGood(key: string, php: string | null): Promise<void> {
  const report = await testConnector(join(CONNECTORS_HERE, key), { php });
  if (!report.ok) expect(reportText(report)).toBe("without a fault");
}
