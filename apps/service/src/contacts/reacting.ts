import type { Db, Query, Tx } from "../db/db.ts";
import { isRecord, parseId, parseJson, ServiceError, toDate } from "../kernel/kernel.ts";
import type { Instant, Uuid } from "../kernel/kernel.ts";
import type { Scope } from "../workspaces/workspaces.ts";
import { insertActivity } from "./activity.store.ts";
import { findLiving, holdLiving } from "./claim.ts";
import { countActivity, contactIdOf, updateContact } from "./contact.store.ts";
import type { ContactRow, Place } from "./contact.store.ts";
import { foldEmail } from "./email.ts";
import { partsOf } from "./parts.ts";
import { MAX_SUMMARY, MAX_TAG, plainText } from "./plain-text.ts";
import { positionOf } from "./position.ts";
import { contactView } from "./views.ts";
import type { ContactView } from "./views.ts";

/** The first that leads to a contact counts. */
interface ContactHints {
  readonly id?: Uuid | undefined;
  readonly externalId?: string | undefined;
  readonly email?: string | undefined;
}

export interface FoundContact {
  readonly id: Uuid;
  readonly view: ContactView;
}

export interface ScoreChange {
  /** Of the activity that tells of it. */
  readonly activityId: Uuid;
  readonly by: number;
  readonly eventType: string;
  readonly summary: string;
  readonly occurredAt: Instant;
}

const MAX_TAGS = 100;

/** For automations: whom an event is about, and what may be done to a contact inside their transaction. */
export interface Reacting {
  /** Whom an event says that it is about: `data.contact_id`, else `data.customer.external_id`, else `data.customer.email`. `data` is JSON text. */
  find(scope: Scope, data: string, query?: Query): Promise<FoundContact | undefined>;
  /** Changes the score, with an activity of kind `action`. False when the contact is no more. */
  adjustScore(tx: Tx, scope: Scope, contactId: Uuid, change: ScoreChange): Promise<boolean>;
  /** What became of it; a tag is cut to its longest length. */
  addTag(tx: Tx, scope: Scope, contactId: Uuid, tag: string): Promise<"added" | "there" | "full" | "gone">;
}

export function createReacting({ db }: { readonly db: Db }): Reacting {
  return {
    async find(scope, data, query = db.query) {
      const row = await hinted(query, scope, hintsOf(scope, data));
      if (row === undefined) return undefined;
      return { id: row.id, view: contactView(scope, row, await partsOf(query, scope, [row.id])) };
    },
    async adjustScore(tx, scope, contactId, change) {
      const contact = await unlessGone(holdLiving(tx, scope, contactId));
      if (contact === undefined) return false;
      const occurredAt = toDate(change.occurredAt);
      const scoreDelta = String(change.by);
      await insertActivity(tx, {
        bucket: scope.bucket,
        tag: scope.tag,
        id: change.activityId,
        contact_id: contact.id,
        kind: "action",
        event_type: change.eventType,
        summary: plainText(change.summary, MAX_SUMMARY),
        value: null,
        score_delta: scoreDelta,
        occurred_at: occurredAt,
        position: positionOf(change.occurredAt, change.activityId),
        receipt_id: null,
      });
      await countActivity(tx, scope, contact.id, { scoreDelta, occurredAt });
      return true;
    },
    async addTag(tx, scope, contactId, tag) {
      const contact = await unlessGone(holdLiving(tx, scope, contactId));
      if (contact === undefined) return "gone";
      const text = plainText(tag, MAX_TAG);
      if (contact.tags.includes(text)) return "there";
      if (contact.tags.length >= MAX_TAGS) return "full";
      await updateContact(tx, scope, contact.id, { tags: [...contact.tags, text] });
      return "added";
    },
  };
}

function hintsOf(scope: Pick<Scope, "tag">, data: string): ContactHints {
  const { contact_id: contactId, customer } = membersOf(parseJson(data));
  const { external_id: externalId, email } = membersOf(customer);
  const parsed = typeof contactId === "string" ? parseId(contactId) : undefined;
  return {
    id: parsed?.prefix === "con" && parsed.tag === scope.tag ? parsed.uuid : undefined,
    externalId: typeof externalId === "string" ? externalId : undefined,
    email: typeof email === "string" ? email : undefined,
  };
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

async function hinted(query: Query, place: Place, hints: ContactHints): Promise<ContactRow | undefined> {
  const email = hints.email === undefined ? undefined : foldEmail(hints.email);
  const byId = hints.id === undefined ? undefined : await unlessGone(findLiving(query, place, hints.id));
  if (byId !== undefined) return byId;
  for (const [kind, value] of [["external_id", hints.externalId] as const, ["email", email] as const]) {
    const id = value === undefined ? undefined : await contactIdOf(query, place, { kind, value });
    if (id !== undefined) return await unlessGone(findLiving(query, place, id));
  }
  return undefined;
}

async function unlessGone(found: Promise<ContactRow>): Promise<ContactRow | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof ServiceError && error.code === "not_found") return undefined;
    throw error;
  }
}
