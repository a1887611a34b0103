import type { CommitPart, Db, Tx } from "../platform/db/db.ts";
import { toDate } from "../lib/lib.ts";
import type { IdMaker, Instant, Uuid } from "../lib/lib.ts";
import type { Scope } from "../accounts/accounts.ts";
import { activitiesPart } from "./learning.store.ts";
import type { LearntActivity } from "./learning.store.ts";
import { holdPeopleOf } from "./learning-people.ts";
import type { CustomerLesson } from "./learning-people.ts";
import { holdTicketsOf } from "./learning-tickets.ts";
import type { TicketLesson } from "./learning-tickets.ts";
import { newsOf } from "./news.ts";
import { MAX_SUMMARY, plainText } from "./plain-text.ts";
import { positionOf, stampOf } from "./position.ts";

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
  match(event: { readonly name: string; readonly canonical: boolean; readonly data: string }): readonly ProjectionRef[];
  /** For many events at once, `ended` in the same commit; answers with the fault of each event that cannot be taken. */
  reactAll(reactions: readonly ProjectionReaction[], ended: ProjectionEnded): Promise<readonly (Error | undefined)[]>;
}

interface ProjectionReaction {
  readonly event: ProjectedEvent;
}

type ProjectionEnded = (positions: readonly number[]) => CommitPart;

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
    match: ({ name, canonical, data }) => (canonical && newsOf(name, data) !== undefined ? [REF] : []),
    reactAll: async (reactions, ended) =>
      await deps.db.transaction(async (tx) => await learn(deps, tx, { lessons: reactions.map(lessonOf), ended })),
  };
}

/** An event, and what it says. */
interface Lesson {
  readonly event: ProjectedEvent;
  readonly about: string;
  readonly customer: CustomerLesson | undefined;
  readonly ticket: TicketLesson | undefined;
}

function lessonOf({ event }: ProjectionReaction): Lesson {
  const { scope: place, occurredAt } = event;
  const news = newsOf(event.name, event.data);
  const stamp = stampOf(occurredAt, event.id);
  return {
    event,
    about: news?.about ?? "",
    customer: news?.customer && { place, customer: news.customer, stamp, occurredAt: toDate(occurredAt) },
    ticket: news?.ticket && { place, ticket: news.ticket, stamp },
  };
}

interface Lessons {
  readonly lessons: readonly Lesson[];
  readonly ended: ProjectionEnded;
}

/**
 * A fixed number of statements however many events there are, and one write for each contact, however many of them are about it. They are
 * taken in their order, as if each came alone; nothing is written of one that cannot be taken.
 */
async function learn(deps: ProjectionDeps, tx: Tx, { lessons, ended }: Lessons): Promise<(Error | undefined)[]> {
  const people = await holdPeopleOf(tx, deps.ids, given(lessons.map(({ customer }) => customer)));
  const tickets = await holdTicketsOf(tx, deps.ids, given(lessons.map(({ ticket }) => ticket)));
  const activities: LearntActivity[] = [];
  const faults = lessons.map((lesson) => {
    const customerId = lesson.customer === undefined ? undefined : people.learn(lesson.customer);
    if (customerId instanceof Error) return customerId;
    if (customerId !== undefined) activities.push(activityOf(deps, lesson, customerId));
    if (lesson.ticket !== undefined) tickets.learn(lesson.ticket, customerId);
    return undefined;
  });
  const taken = faults.flatMap((fault, at) => (fault === undefined ? [at] : []));
  await tx.commit([...people.parts(), tickets.part(), activitiesPart(activities), ended(taken)], "select 1");
  return faults;
}

function activityOf({ titleOf }: ProjectionDeps, { event, about }: Lesson, contactId: Uuid): LearntActivity {
  const { scope, id, name, occurredAt } = event;
  const title = titleOf(name) ?? name;
  return {
    bucket: scope.bucket,
    tag: scope.tag,
    id,
    contact_id: contactId,
    kind: "event",
    event_type: name,
    summary: plainText(about === "" ? title : `${title}: ${about}`, MAX_SUMMARY),
    score_delta: "0",
    occurred_at: toDate(occurredAt),
    position: positionOf(occurredAt, id),
  };
}

function given<T>(values: readonly (T | undefined)[]): T[] {
  return values.filter((value) => value !== undefined);
}
