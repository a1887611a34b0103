import { paginate, randomText, ServiceError, unixSeconds } from "../../lib/lib.ts";
import type { Clock, Hidden, IdMaker, Page, PageInput, t } from "../../lib/lib.ts";
import { signStandard } from "../../platform/outbound-http/outbound-http.ts";
import { ownUuid } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { keptToken, messageView, TOKEN_LENGTH } from "./inbox.ts";
import type { InboxesDeps, InboxMessageView } from "./inbox.ts";
import type { InboxRow } from "./inbox.store.ts";
import { checkSignature } from "./verdict.ts";
import type { WireHeaders } from "./verdict.ts";
import * as store from "./named-inboxes.store.ts";
import { shownToken } from "../endpoints/own-inboxes.ts";
import type * as shapes from "./named-inboxes.schemas.ts";

export type NamedInboxView = t.Static<typeof shapes.NamedInboxView>;

/**
 * Inboxes that keep messages until they are taken, so that a reader misses nothing while away. There is no position to
 * keep: messages are taken one by one by their ids, so that messages that two nodes received in any order are not
 * skipped. A cursor is only for browsing the waiting messages.
 */
export type NamedInboxes = ReturnType<typeof createNamedInboxes>;

export interface NamedInboxesDeps extends Pick<InboxesDeps, "db" | "endpoints" | "baseUrl" | "sealer"> {
  readonly clock: Clock;
  readonly ids: IdMaker;
}

/** The limit for the number of messages in `waiting`. */
const MOST = 2000;

export function createNamedInboxes(deps: NamedInboxesDeps) {
  const { db } = deps;
  const urlOf = (inbox: InboxRow): string => `${deps.baseUrl}/inbox/${shownToken(deps.sealer, inbox)}`;

  async function existing(scope: Scope, name: string): Promise<InboxRow> {
    const inbox = await store.findNamed(db.query, scope, name);
    if (inbox === undefined) throw unknown();
    return inbox;
  }

  function namedInboxView(inbox: InboxRow, waiting: number): NamedInboxView {
    return { object: "named_inbox", name: inbox.name ?? "", url: urlOf(inbox), waiting };
  }

  return {
    /** Creates the inbox, unless the workspace's environment has one with that name. */
    async put(scope: Scope, name: string): Promise<NamedInboxView> {
      const { bucket, tag, workspaceId } = scope;
      const token = keptToken(deps.sealer, randomText(TOKEN_LENGTH));
      const id = deps.ids.uuid();
      await store.insertNamed(db.query, { bucket, tag, id, ...token, workspace_id: workspaceId, name });
      const inbox = await existing(scope, name);
      return namedInboxView(inbox, await store.countWaiting(db.query, inbox, MOST));
    },
    /** Lists the inboxes, newest first. */
    async list(
      scope: Scope,
      query: { readonly limit?: number; readonly cursor?: string },
    ): Promise<Page<NamedInboxView>> {
      const page = await paginate(query, {
        binding: [scope.tag, "inboxes"],
        async read(before, count) {
          const rows = await store.listNamed(db.query, scope, before, count);
          // Every named inbox has an id.
          return rows.flatMap((row) => (row.id === null ? [] : [{ id: row.id, row }]));
        },
        view: ({ row }) => row,
      });
      const counts = await store.countsWaiting(db.query, page.data, MOST);
      return { ...page, data: page.data.map((row) => namedInboxView(row, counts.get(row.token) ?? 0)) };
    },
    /** Deletes the inbox and its waiting messages. Throws 404. */
    async remove(scope: Scope, name: string): Promise<void> {
      if (!(await store.deleteNamed(db.query, scope, name))) throw unknown();
    },
    /** Returns the waiting messages, oldest first. Throws 404. */
    async messages(scope: Scope, name: string, query: PageInput): Promise<Page<InboxMessageView>> {
      const inbox = await existing(scope, name);
      const page = await paginate(query, {
        binding: [scope.tag, "inbox messages", name],
        read: async (after, limit) => await store.waitingMessages(db.query, inbox, { after, limit }),
        view: (row) => row,
      });
      const signers =
        page.data.length === 0 ? [] : await deps.endpoints.secretsOfInbox(scope, shownToken(deps.sealer, inbox));
      return { ...page, data: page.data.map((row) => signedNow(messageView(inbox, row), signers, deps.clock)) };
    },
    /** Returns how many of them were waiting. Throws 403 for a foreign id, 404 for an unknown name. */
    async take(scope: Scope, name: string, ids: readonly string[]): Promise<number> {
      const own = ids.map((id) => ownUuid(scope, "inb", id));
      return await store.takeMessages(db.query, await existing(scope, name), own);
    },
  };
}

function unknown(): ServiceError {
  return new ServiceError("not_found", { detail: "No inbox has this name." });
}

/**
 * Returns the message with the time and signature of a further attempt with the same bytes, because a careful receiver
 * refuses a message whose signature is more than five minutes old. A message that none of these endpoints signed is
 * unchanged: no secret may sign what its owner did not send.
 */
function signedNow(
  message: InboxMessageView,
  endpoints: readonly (readonly Hidden[])[],
  clock: Clock,
): InboxMessageView {
  const id = message.headers["webhook-id"];
  const body = Buffer.from(message.body);
  const secrets = endpoints.filter((own) => checkSignature(message.headers, body, own) === "valid").flat();
  if (id === undefined || secrets.length === 0) return message;
  const at = unixSeconds(clock.now());
  const headers: WireHeaders = {
    ...message.headers,
    "x-service-timestamp": String(at),
    "webhook-timestamp": String(at),
    "webhook-signature": secrets.map((secret) => signStandard(secret.reveal(), id, at, message.body)).join(" "),
  };
  return { ...message, headers };
}
