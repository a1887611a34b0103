import { expect, test } from "vitest";
import { mapAsSender } from "../../apps/service/src/webhooks/sources/sender-mapping.ts";
import { senderOf } from "../../apps/service/src/webhooks/sources/senders.ts";
import { goLibraryPayloads, octokitExamples, shopifyExamples, stripeFixtures } from "./sender-corpora.ts";
import type { Recorded } from "./sender-corpora.ts";

/** The first call of a machine downloads the collection. */
const MINUTES_5 = 300_000;

/** Requests that cannot be mapped, each with the reason. Today every one can. */
const UNMAPPED: Readonly<Record<string, string>> = {};

/** Expects that each request is mapped as its type, and that none is listed without need. */
async function expectMapped(requests: readonly Recorded[], least: number): Promise<void> {
  expect(requests.length).toBeGreaterThanOrEqual(least);
  const wrong: string[] = [];
  for (const { sender: key, name, type, ...request } of requests) {
    const sender = senderOf(key);
    if (sender === undefined) throw new Error(`${key} is not in the gallery`);
    const items = await mapAsSender(sender, request);
    const found = items.map((item) => (item.kind === "mapped" ? item.extracted.event_type : item.reason));
    const isRight = items.every(({ kind }) => kind === "mapped") && found.length === 1 && found[0] === type;
    if (isRight === name in UNMAPPED) wrong.push(`${key}, ${name}: ${found.join(", ")}`);
  }
  expect(wrong).toEqual([]);
}

test(
  "GitHub's payloads that the community collects are mapped",
  async () => await expectMapped(await octokitExamples(), 700),
  MINUTES_5,
);

test(
  "the payloads of Shopify's documentation are mapped",
  async () => await expectMapped(await shopifyExamples(), 800),
  MINUTES_5,
);

test(
  "events about the objects of Stripe's mock are mapped",
  async () => await expectMapped(await stripeFixtures(senderOf("stripe")?.event_types ?? []), 150),
  MINUTES_5,
);

test(
  "the payloads of GitHub, GitLab and Bitbucket of a library for Go are mapped",
  async () => await expectMapped(await goLibraryPayloads(), 100),
  MINUTES_5,
);
