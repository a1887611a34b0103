import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readPublicKey, verifyFolder } from "../apps/service/src/connectors/registry/connectors.ts";
import { REPOSITORY_KEY } from "../apps/service/src/connectors/settings.ts";
import { PHPS } from "../apps/service/src/connectors/sandbox/testing/php.ts";
import { reportText, testConnector } from "../apps/service/src/connectors/testkit/kit.ts";
import { CONNECTORS_HERE } from "../apps/service/src/testing/repository-connectors.ts";
import { covers } from "../requirements/covers.ts";

/** The connectors of this repository: their signatures are valid, and the kit for authors finds no fault. */

const MINUTES_15 = 900_000;
const folders = await readdir(CONNECTORS_HERE, { withFileTypes: true });
const keys = folders.filter((one) => one.isDirectory()).map(({ name }) => name);
const PHP = ["crm-mirror", "helpdesk", "scheduling"];

covers("connector.folder.signed", "each is signed by the repository's key", async () => {
  for (const key of keys)
    expect(await verifyFolder(join(CONNECTORS_HERE, key), [readPublicKey(REPOSITORY_KEY)])).toMatchObject({ key });
});

test("there are six connectors", () => {
  expect(keys.toSorted()).toEqual(["alerts", "commerce", "crm-mirror", "helpdesk", "scheduling", "stripe"]);
});

describe("the conformance kit finds no fault in", () => {
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
