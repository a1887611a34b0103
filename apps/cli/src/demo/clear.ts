import type { Junction } from "../../../../sdks/node/src/index.ts";
import { CONTRACT_PREFIX, MAIL_DOMAIN, PREFIX, titled } from "./scene.ts";

/** The number of deleted objects of each kind. Logs stay, like the audit log. */
export interface Cleared {
  readonly object: "demo_cleared";
  readonly endpoints: number;
  readonly event_types: number;
  readonly inboxes: number;
  readonly sources: number;
  readonly contacts: number;
  readonly rules: number;
  readonly proposals: number;
  readonly contracts: number;
}

/** Deletes what a demo created in the key's environment, and nothing else. */
export async function clearDemo(junction: Junction): Promise<Cleared> {
  const mark = titled("");
  const { environment } = await junction.me.get();
  // Live rules and actions are shown in the sandbox too, because they act there.
  const isOwn = (one: { readonly environment: string }): boolean => one.environment === environment;
  return {
    object: "demo_cleared",
    // Endpoints go before their inboxes, so that pending deliveries are cancelled instead of attempted in vain.
    endpoints: await each(
      junction.webhookEndpoints.list({ limit: 100 }),
      ({ description }) => description?.startsWith(mark) ?? false,
      async ({ id }) => await junction.webhookEndpoints.delete(id),
    ),
    // Both environments share event types, and only a live key can archive one.
    event_types: await each(
      junction.eventTypes.list({ limit: 100 }),
      ({ title, origin }) => environment === "live" && origin === "custom" && (title?.startsWith(mark) ?? false),
      async ({ name }) => await junction.eventTypes.archive(name),
    ),
    rules: await each(
      junction.rules.list({ limit: 100 }),
      (rule) => isOwn(rule) && rule.name.startsWith(mark),
      async ({ id }) => await junction.rules.delete(id),
    ),
    sources: await each(
      junction.inboundEndpoints.list({ limit: 100 }),
      ({ name }) => name?.startsWith(mark) ?? false,
      async ({ id }) => await junction.inboundEndpoints.delete(id),
    ),
    contacts: await each(
      junction.contacts.list({ limit: 100 }),
      ({ email }) => email?.endsWith(MAIL_DOMAIN) ?? false,
      async ({ id }) => await junction.contacts.delete(id),
    ),
    proposals: await each(
      junction.proposals.list({ limit: 100, state: "proposed" }),
      ({ action }) => action.startsWith(CONTRACT_PREFIX),
      async ({ id }) => await junction.proposals.cancel(id),
    ),
    contracts: await each(
      junction.actionContracts.list({ limit: 100 }),
      (contract) => isOwn(contract) && contract.key.startsWith(CONTRACT_PREFIX),
      async ({ key }) => await junction.actionContracts.delete(key),
    ),
    inboxes: await each(
      junction.inboxes.list({ limit: 100 }),
      ({ name }) => name.startsWith(PREFIX),
      async ({ name }) => await junction.inboxes.delete(name),
    ),
  };
}

/**
 * Deletes the demo's items of a list. The list is read completely first, because it must not change while its pages are
 * read.
 */
async function each<Item>(
  list: AsyncIterable<Item>,
  isOurs: (item: Item) => boolean,
  remove: (item: Item) => Promise<unknown>,
): Promise<number> {
  const ours: Item[] = [];
  for await (const item of list) if (isOurs(item)) ours.push(item);
  for (const item of ours) await remove(item);
  return ours.length;
}
