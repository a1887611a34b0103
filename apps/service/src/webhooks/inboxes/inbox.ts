import type { Audit } from "../../audit/audit.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import { randomText, resultOf, sealedColumn, ServiceError, toRfc3339, uuidTime, wireId } from "../../lib/lib.ts";
import type { Hidden, IdMaker, Sealer, t } from "../../lib/lib.ts";
import { scopeOf } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import * as store from "./inbox.store.ts";
import type { InboxRow, MessageRow } from "./inbox.store.ts";
import { countWaiting } from "./named-inboxes.store.ts";
import { checkSignature } from "./verdict.ts";
import type { SignatureVerdict, WireHeaders } from "./verdict.ts";
import { inboxKey, inboxKeys, inboxTokenPlace } from "../endpoints/own-inboxes.ts";
import type { Endpoints } from "../endpoints/endpoints.ts";
import type * as shapes from "./inbox.schemas.ts";

/** The configured response of an inbox. */
export type Behaviour = t.Static<typeof shapes.BehaviourView>;

export interface NewInbox {
  /** Has 43 base62 characters. Anyone who knows it can read the inbox, send to it and configure it. */
  readonly token: string;
  readonly url: string;
}

export type InboxMessageView = t.Static<typeof shapes.InboxMessage>;

export type InboxView = t.Static<typeof shapes.InboxView>;

export interface Received {
  readonly headers: WireHeaders;
  readonly body: Uint8Array;
}

export interface Answer {
  readonly status: number;
  readonly delayMs: number;
  readonly body: string | null;
  /** True if the message is kept. */
  readonly received: boolean;
}

/** The built-in inbox (contract, section 5). All functions throw 404 for an unknown token. */
export type Inboxes = ReturnType<typeof createInboxes>;

export interface InboxesDeps {
  readonly db: Db;
  readonly ids: IdMaker;
  readonly sealer: Sealer;
  readonly audit: Pick<Audit, "redactorOf">;
  readonly endpoints: Pick<Endpoints, "secretsOfInbox">;
  /** Returns the secrets that may sign the requests of actions to an inbox. */
  readonly actionSecrets: () => readonly ((scope: Scope, token: string) => Promise<readonly Hidden[]>)[];
  /** Returns the secrets that may sign an HTTP call with this id. */
  readonly callSecrets: () => readonly ((scope: Scope, id: string) => Promise<readonly Hidden[]>)[];
  readonly baseUrl: string;
}

export const TOKEN_LENGTH = 43;
const TOKEN_FORM = /^[0-9A-Za-z]{43}$/;
const DEFAULTS: Behaviour = { status: 200, delay_ms: 0, fail_times: 0, body: null };
const SHOWN = 100;
const FAILED = 500;
/** The event names in requests of actions. */
const ACTION_EVENTS: ReadonlySet<string> = new Set(["action.execute", "action.undo"]);
/** The maximum number of waiting messages in a named inbox. */
const MOST_WAITING = 2000;
const FULL: Answer = { status: 503, delayMs: 0, body: null, received: false };

export function createInboxes(deps: InboxesDeps) {
  const { db } = deps;
  const prefix = `${deps.baseUrl}/inbox/`;

  async function existing(token: string): Promise<InboxRow> {
    const inbox = TOKEN_FORM.test(token) ? await store.findInbox(db.query, inboxKeys(token)) : undefined;
    if (inbox === undefined) throw new ServiceError("not_found", { detail: "No inbox has this token." });
    return inbox;
  }

  async function receive(inbox: InboxRow, token: string, received: Received): Promise<Answer> {
    const signature = checkSignature(
      received.headers,
      received.body,
      await secretsOf(deps, { inbox, token }, received),
    );
    const behaviour = { ...DEFAULTS, ...inbox.behaviour };
    const waits = inbox.name !== null;
    // The retry schedule sends refused deliveries again, so nothing is lost.
    if (waits && (await countWaiting(db.query, inbox, MOST_WAITING)) >= MOST_WAITING) return FULL;
    const fails = behaviour.fail_times > 0 && (await store.takeFailure(db.query, inboxKeys(token)));
    const status = fails ? FAILED : behaviour.status;
    await store.keepMessage(db.query, {
      ...messageOf(waits ? received : await shownIn(deps, inbox, received)),
      bucket: inbox.bucket,
      keys: inboxKeys(token),
      id: deps.ids.uuid(),
      signature,
      answered: status,
      waiting: waits && status < 300,
    });
    return { status, delayMs: behaviour.delay_ms, body: fails ? null : behaviour.body, received: true };
  }

  return {
    async create(tx: Tx, scope: Scope): Promise<NewInbox> {
      const token = randomText(TOKEN_LENGTH);
      const { bucket, tag, workspaceId } = scope;
      await store.insertInbox(tx, { ...keptToken(deps.sealer, token), workspace_id: workspaceId, bucket, tag });
      return { token, url: prefix + token };
    },
    /** Keeps the message and returns the response. */
    async receive(token: string, received: Received): Promise<Answer> {
      const inbox = await existing(token);
      return await db.at(inbox.bucket, async () => await receive(inbox, token, received));
    },
    async view(token: string): Promise<InboxView> {
      const inbox = await existing(token);
      const messages = await db.at(inbox.bucket, async () => await store.latestMessages(db.query, inbox, SHOWN));
      const behaviour = { ...DEFAULTS, ...inbox.behaviour };
      return {
        object: "inbox",
        url: prefix + token,
        behaviour,
        messages: messages.map((message) => messageView(inbox, message)),
      };
    },
    /**
     * Sets the behaviour. Members that are not given get their defaults. Throws 422 for a body that the database cannot
     * store.
     */
    async behave(token: string, wanted: Partial<Behaviour>): Promise<Behaviour> {
      assertStorableText(wanted.body ?? "");
      await existing(token);
      const behaviour = { ...DEFAULTS, ...wanted };
      await store.setBehaviour(db.query, inboxKeys(token), behaviour);
      return behaviour;
    },
    /** Makes the workspace's own inbox at this URL, if it is one, accept the secret of the latest test as valid. */
    async expectSecret(scope: Scope, url: string, secret: Hidden): Promise<void> {
      const token = url.startsWith(prefix) ? url.slice(prefix.length) : "";
      if (!TOKEN_FORM.test(token)) return;
      const row = await store.findInbox(db.query, inboxKeys(token));
      if (row === undefined) return;
      const sealed = deps.sealer.seal(secret, secretPlace(row.token));
      await store.setTestSecret(db.query, scope, { token: row.token, sealed });
    },
  };
}

async function secretsOf(
  deps: InboxesDeps,
  { inbox, token }: { readonly inbox: InboxRow; readonly token: string },
  { headers }: Received,
): Promise<Hidden[]> {
  const { secret_sealed: sealed } = inbox;
  const scope = scopeOf(inbox.workspace_id, inbox.tag);
  const secrets = (await deps.endpoints.secretsOfInbox(scope, token)).flat();
  if (ACTION_EVENTS.has(headers["x-service-event"] ?? ""))
    for (const secretsFor of deps.actionSecrets()) secrets.push(...(await secretsFor(scope, token)));
  const messageId = headers["webhook-id"] ?? "";
  if (messageId.startsWith("call_"))
    for (const secretsFor of deps.callSecrets()) secrets.push(...(await secretsFor(scope, messageId)));
  if (sealed === null) return secrets;
  const opened = resultOf(() => deps.sealer.open(sealed, secretPlace(inbox.token)));
  return opened instanceof Error ? secrets : [...secrets, opened];
}

/** Matches headers that identify the delivery and prove its signature. */
const SIGNING = /^(?:webhook|x-service)-/;

/**
 * Redacts credentials in a message of an unnamed inbox, because anyone who knows its address can read it. A named inbox
 * passes its messages on to its owner's receiver unchanged.
 */
async function shownIn(
  { audit }: InboxesDeps,
  { bucket, tag, workspace_id: workspaceId }: InboxRow,
  { headers, body }: Received,
): Promise<Received> {
  const redactor = await audit.redactorOf({ bucket, tag, workspaceId });
  const others = Object.fromEntries(Object.entries(headers).filter(([name]) => !SIGNING.test(name)));
  return { body, headers: { ...headers, ...(redactor.value(others) as WireHeaders) } };
}

/** Returns the columns of an inbox that keep its token. */
export function keptToken(sealer: Sealer, token: string): { readonly token: string; readonly token_sealed: Buffer } {
  const key = inboxKey(token);
  return { token: key, token_sealed: sealer.seal(token, inboxTokenPlace(key)) };
}

/**
 * Returns the place of an inbox's secret. `key` is the value of the column `token`, which is the token itself in a row
 * of the previous version.
 */
export function secretPlace(key: string): string {
  return `inbox:${key}`;
}

export const sealedByInboxes = [
  sealedColumn({ table: "inbox", column: "secret_sealed", by: ["token"], place: ({ token }) => secretPlace(token) }),
  sealedColumn({
    table: "inbox",
    column: "token_sealed",
    by: ["token"],
    place: ({ token }) => inboxTokenPlace(token),
  }),
];

function messageOf({
  headers,
  body,
}: Received): Pick<store.MessageInsert, "delivery_id" | "event" | "headers" | "body"> {
  return {
    delivery_id: headers["x-service-delivery"] ?? headers["webhook-id"] ?? null,
    event: headers["x-service-event"] ?? null,
    headers: JSON.stringify(headers),
    // Replaces NUL, which PostgreSQL's text type refuses.
    body: Buffer.from(body).toString("utf8").replaceAll("\u0000", "\ufffd"),
  };
}

export function messageView(inbox: InboxRow, row: MessageRow): InboxMessageView {
  return {
    id: wireId("inb", inbox.tag, row.id),
    received_at: toRfc3339(uuidTime(row.id)),
    delivery_id: row.delivery_id,
    event: row.event,
    signature: row.signature as SignatureVerdict,
    headers: row.headers as Record<string, string>,
    body: row.body,
    answered: row.answered,
  };
}

function assertStorableText(text: string): void {
  if (text.isWellFormed() && !text.includes("\u0000")) return;
  throw new ServiceError("validation_failed", {
    errors: [{ pointer: "/body", code: "text", message: "must be text without NUL and lone surrogates" }],
  });
}
