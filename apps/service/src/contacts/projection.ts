import type { Db, Tx } from "../db/db.ts";
import { toDate } from "../kernel/kernel.ts";
import type { IdMaker, Instant, Uuid } from "../kernel/kernel.ts";
import type { Scope } from "../workspaces/workspaces.ts";
import { insertActivity } from "./activity.store.ts";
import { claim } from "./claim.ts";
import { countActivity, updateContact } from "./contact.store.ts";
import { fold } from "./fold.ts";
import { newsOf } from "./news.ts";
import type { CustomerNews, News } from "./news.ts";
import { factValues, knownOf } from "./records.ts";
import { MAX_SUMMARY, plainText } from "./plain-text.ts";
import { positionOf, stampOf } from "./position.ts";
import { learnTicket } from "./tickets.ts";

/** An event as the projection sees it. */
export interface ProjectedEvent {
  readonly scope: Scope;
  readonly id: Uuid;
  readonly name: string;
  /** JSON text of an object. */
  readonly data: string;
  readonly occurredAt: Instant;
}

interface ProjectionRef {
  readonly kind: "projection";
  readonly key: string;
  readonly priority: number;
}

/**
 * Keeps customers and tickets as the canonical events tell of them; `dispatch` runs it before all that reads them.
 *
 * | event | changes |
 * | --- | --- |
 * | any canonical one with `data.customer` | finds the contact by `external_id`, else by `email`, else makes it; puts on it what `customer` names: e-mail, name, lifecycle stage, another external id; adds an activity of kind `event` |
 * | any canonical one with `data.ticket` | finds the ticket by `external_id`, else makes it (`open`); puts on it what `ticket` names: subject, status, priority, assignee; and `data.customer` as its customer |
 * | `contact.created` | stage `lead`, unless `customer` names one; so with the next five |
 * | `customer.signed_up`, `crm.deal.won`, `subscription.renewed` | stage `customer` |
 * | `subscription.created` | stage `trial` when its status is `trialing`, else `customer` |
 * | `subscription.trial_ending` | stage `trial` |
 * | `subscription.cancelled`, `customer.deleted` | stage `churned`; nobody is erased |
 * | `contact.lifecycle_changed`, `customer.updated`, `contact.updated` | what `customer` names, as with all |
 * | `ticket.created`, `ticket.reopened` | status `open`, unless `ticket` names one |
 * | `ticket.resolved` | status `resolved`, unless `ticket` names one |
 * | `ticket.assigned` | assignee from `agent`, unless `ticket` names one |
 *
 * Of each fact what was true last stands (fold.ts), an activity has the id of its event: so an event may run twice, and events in
 * any order. An address that belongs to another contact stays there.
 */
export interface ContactProjection {
  readonly kind: "projection";
  /** Nothing for an event that names neither customer nor ticket: it goes on without stages. */
  match(
    events: readonly { readonly name: string; readonly canonical: boolean; readonly data: string }[],
  ): Promise<readonly (readonly ProjectionRef[])[]>;
  react(event: ProjectedEvent): Promise<void>;
}

export interface ProjectionDeps {
  readonly db: Db;
  readonly ids: IdMaker;
  /** The catalogue's title of an event; undefined for custom ones. */
  readonly titleOf: (name: string) => string | undefined;
}

const REF: ProjectionRef = { kind: "projection", key: "contacts", priority: 10 };

export function createProjection(deps: ProjectionDeps): ContactProjection {
  return {
    kind: "projection",
    match: async (events) =>
      await Promise.resolve(
        events.map(({ name, canonical, data }) => (canonical && newsOf(name, data) !== undefined ? [REF] : [])),
      ),
    async react(event) {
      const news = newsOf(event.name, event.data);
      if (news === undefined) return;
      await deps.db.transaction(async (tx) => await learn(deps, tx, event, news));
    },
  };
}

async function learn(deps: ProjectionDeps, tx: Tx, event: ProjectedEvent, news: News): Promise<void> {
  const stamp = stampOf(event.occurredAt, event.id);
  const customerId =
    news.customer === undefined ? undefined : await learnCustomer(deps, tx, { event, customer: news.customer, stamp });
  if (customerId !== undefined) await addActivity(deps, tx, { event, customerId, about: news.about });
  if (news.ticket === undefined) return;
  const { externalId, ...facts } = news.ticket;
  await learnTicket(tx, event.scope, {
    proposed: deps.ids.uuid(),
    externalId,
    facts: { ...facts, customer_id: customerId },
    stamp,
  });
}

async function learnCustomer(
  deps: ProjectionDeps,
  tx: Tx,
  { event, customer, stamp }: { event: ProjectedEvent; customer: CustomerNews; stamp: Uuid },
): Promise<Uuid> {
  const { contact, emailOwner } = await claim(tx, event.scope, customer, deps.ids.uuid());
  const facts = fold(
    knownOf(contact),
    {
      email: emailOwner === undefined ? customer.email : undefined,
      name: customer.name,
      told_stage: customer.toldStage,
      implied_stage: customer.impliedStage,
    },
    stamp,
  );
  await updateContact(tx, event.scope, contact.id, factValues(facts));
  return contact.id;
}

async function addActivity(
  deps: ProjectionDeps,
  tx: Tx,
  { event, customerId, about }: { event: ProjectedEvent; customerId: Uuid; about: string },
): Promise<void> {
  const { scope, id, name, occurredAt } = event;
  const title = deps.titleOf(name) ?? name;
  const isNew = await insertActivity(tx, {
    bucket: scope.bucket,
    tag: scope.tag,
    id,
    contact_id: customerId,
    kind: "event",
    event_type: name,
    summary: plainText(about === "" ? title : `${title}: ${about}`, MAX_SUMMARY),
    value: null,
    score_delta: "0",
    occurred_at: toDate(occurredAt),
    position: positionOf(occurredAt, id),
    receipt_id: null,
  });
  if (isNew) await countActivity(tx, scope, customerId, { scoreDelta: "0", occurredAt: toDate(occurredAt) });
}
