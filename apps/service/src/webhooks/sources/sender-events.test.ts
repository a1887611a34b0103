import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Mapped, Unmapped } from "./mapping.ts";
import { mapAsSender } from "./sender-mapping.ts";
import type { SenderRequest } from "./sender-mapping.ts";
import { senders } from "./senders.ts";
import type { Sender } from "./senders.ts";

/** An expected item of a request, worked out from the sender's documentation and not by the mapping. */
interface Expected {
  readonly event_type: string;
  /** An address, value or currency that is not named must not be found. */
  readonly contact_email?: string;
  readonly value?: string;
  readonly currency?: string;
  /** These are compared only if they are named. */
  readonly contact_name?: string;
  readonly idempotency_key?: string;
  readonly summary?: string;
}

interface EventsFile {
  /** The pages and packages that the requests are shaped after. */
  readonly from: readonly string[];
  readonly events: readonly (SenderRequest & { readonly name: string; readonly expect: readonly Expected[] })[];
  readonly retries: readonly {
    readonly name: string;
    readonly first: SenderRequest;
    readonly again: SenderRequest;
    readonly duplicate: boolean;
  }[];
}

/** A sender without a file has no events, so that the test of its types fails. */
function eventsOf({ key }: Sender): EventsFile {
  const file = new URL(`senders/${key}.events.json`, import.meta.url);
  if (!existsSync(file)) return { from: [], events: [], retries: [] };
  return JSON.parse(readFileSync(file, "utf8")) as EventsFile;
}

/** Maps a request of which no item may be unmapped. */
async function mappedAs(sender: Sender, request: SenderRequest): Promise<readonly Mapped[]> {
  const items = await mapAsSender(sender, request);
  const unmapped = items.filter((item): item is Unmapped => item.kind === "unmapped");
  expect(unmapped.map(({ reason }) => reason)).toEqual([]);
  return items.filter((item): item is Mapped => item.kind === "mapped");
}

function shown({ extracted }: Mapped, expected: Expected | undefined): object {
  const { event_type, contact_email, value, currency } = extracted;
  const named = Object.keys(expected ?? {}) as (keyof Expected)[];
  return {
    event_type,
    contact_email,
    value,
    currency,
    ...Object.fromEntries(named.map((name) => [name, extracted[name]])),
  };
}

function keysOf({ dedupe }: Mapped): readonly string[] {
  return [dedupe.body, dedupe.id].flatMap((key) => (key === null ? [] : [key.toString("hex")]));
}

describe.each(senders.map((sender) => [sender.key, sender] as const))("%s", (_key, sender) => {
  const { from, events, retries } = eventsOf(sender);

  test.each(events.map((event) => [event.name, event] as const))("%s", async (_name, event) => {
    const items = await mappedAs(sender, event);
    const wanted = event.expect.map((one) => ({ contact_email: null, value: null, currency: null, ...one }));
    expect(items.map((item, at) => shown(item, event.expect[at]))).toEqual(wanted);
  });

  test("its events show each of its types, and how it sends again", () => {
    const shownTypes = new Set(events.flatMap((event) => event.expect.map(({ event_type }) => event_type)));
    expect(sender.event_types.filter((type) => !shownTypes.has(type))).toEqual([]);
    expect(from.length).toBeGreaterThan(0);
    expect(retries.length).toBeGreaterThan(0);
    expect(new Set([...events, ...retries].map(({ name }) => name)).size).toBe(events.length + retries.length);
  });

  test.each(retries.map((retry) => [retry.name, retry] as const))("sent again: %s", async (_name, retry) => {
    const seen = new Set((await mappedAs(sender, retry.first)).flatMap(keysOf));
    const again = await mappedAs(sender, retry.again);
    expect(again.length).toBeGreaterThan(0);
    expect(again.map((item) => keysOf(item).some((key) => seen.has(key)))).toEqual(again.map(() => retry.duplicate));
  });
});
