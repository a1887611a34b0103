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
 * Updates customers and tickets from canonical events. `dispatch` runs it before everything that reads them.
 *
 * - Any canonical event with `data.customer` finds the contact by `external_id`, or else by `email`, or else creates it.
 *   It sets what `customer` names: e-mail, name, lifecycle stage, another external id.
 *   It adds an activity of kind `event`.
 * - Any canonical event with `data.ticket` finds the ticket by `external_id`, or else creates it as `open`.
 *   It sets what `ticket` names: subject, status, priority, assignee. `data.customer` becomes the ticket's customer.
 * - `contact.created` sets the stage `lead`, unless `customer` names one. The same condition applies to the next four items.
 * - `customer.signed_up`, `crm.deal.won` and `subscription.renewed` set the stage `customer`.
 * - `subscription.created` sets the stage `trial` if its status is `trialing`, or else `customer`.
 * - `subscription.trial_ending` sets the stage `trial`.
 * - `subscription.cancelled` and `customer.deleted` set the stage `churned`. They erase no data.
 * - `contact.lifecycle_changed`, `customer.updated` and `contact.updated` set what `customer` names, as all events do.
 * - `ticket.created` and `ticket.reopened` set the status `open`, unless `ticket` names one.
 * - `ticket.resolved` sets the status `resolved`, unless `ticket` names one.
 * - `ticket.assigned` sets the assignee from `agent`, unless `ticket` names one.
 *
 * The latest value of each fact wins (last-write-wins.ts), and an activity has the id of its event. An event may therefore
 * run twice, and events may run in any order. An address that belongs to another contact stays there.
 */
export interface ContactProjection {
  readonly kind: "projection";
  /** Returns nothing for an event that names neither a customer nor a ticket. Such an event has no stage here. */
  match(event: { readonly name: string; readonly canonical: boolean; readonly data: string }): readonly ProjectionRef[];
  /**
   * Applies many events at once, with `ended` in the same commit. Returns the fault of each event that cannot be
   * applied.
   */
  reactAll(reactions: readonly ProjectionReaction[], ended: ProjectionEnded): Promise<readonly (Error | undefined)[]>;
}

interface ProjectionReaction {
  readonly event: ProjectedEvent;
}

type ProjectionEnded = (positions: readonly number[]) => CommitPart;

export interface ProjectionDeps {
  readonly db: Db;
  readonly ids: IdMaker;
  /** Returns the catalog's title of an event; undefined for custom events. */
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

/** An event and the facts in it. */
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
 * Runs a fixed number of statements for any number of events, and writes each contact once. Events are applied in their
 * order, as if each arrived alone. Nothing is written for an event that cannot be applied.
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
