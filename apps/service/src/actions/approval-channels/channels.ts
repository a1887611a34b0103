import { fromDate, paginate, ServiceError, toRfc3339, uuidTime, wireId } from "../../lib/lib.ts";
import type { IdMaker } from "../../lib/lib.ts";
import { ownUuid, scopeFields } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { moment } from "../wire/view-fields.ts";
import { listAnnouncements } from "./announcements.store.ts";
import type { AnnouncementRow } from "./announcements.store.ts";
import { MAX_ATTEMPTS } from "./announcement-step.ts";
import { changedSettings, newSettings } from "./channel.ts";
import type { ChannelInput, ChannelKind, ChannelListQuery } from "./channels.schemas.ts";
import { tryChannel } from "./channel-test.ts";
import type { ChannelTestDeps } from "./channel-test.ts";
import * as store from "./channels.store.ts";
import type { ChannelRow } from "./channels.store.ts";

export interface ChannelsDeps extends ChannelTestDeps {
  readonly ids: IdMaker;
}

const MAX_CHANNELS = 20;

export type Channels = ReturnType<typeof createChannels>;

/** Creates the places where an environment's proposals are announced besides the console (contract, section 11). */
export function createChannels(deps: ChannelsDeps) {
  const { db } = deps;
  const existing = async (scope: Scope, id: string): Promise<ChannelRow> => {
    const row = await store.findChannel(db.query, scope, ownUuid(scope, "apc", id));
    if (row === undefined) throw new ServiceError("not_found");
    return row;
  };
  return {
    create: async (scope: Scope, kind: ChannelKind, input: ChannelInput) => await create(deps, scope, kind, input),
    list: async (scope: Scope, query: ChannelListQuery) =>
      await paginate(query, {
        binding: [scope.tag, "approval channels"],
        read: async (before, limit) => await store.listChannels(db.query, scope, { before, limit }),
        view: (row) => channelView(scope, row),
      }),
    get: async (scope: Scope, id: string) => channelView(scope, await existing(scope, id)),
    async change(scope: Scope, id: string, input: ChannelInput) {
      const uuid = ownUuid(scope, "apc", id);
      return await db.transaction(async (tx) => {
        const before = await store.holdChannel(tx, scope, uuid);
        if (before === undefined) throw new ServiceError("not_found");
        const row = await store.updateChannel(tx, scope, uuid, changedSettings(before, input));
        return channelView(scope, row ?? before);
      });
    },
    /** Its messages stay, and are still changed when their proposals are decided. Their buttons no longer decide anything. */
    async remove(scope: Scope, id: string): Promise<void> {
      const uuid = ownUuid(scope, "apc", id);
      const isGone = await db.transaction(async (tx) => await store.deleteChannel(tx, scope, uuid));
      if (!isGone) throw new ServiceError("not_found");
    },
    /** Sends a message that says only that the channel works. */
    test: async (scope: Scope, id: string) => await tryChannel(deps, scope, await existing(scope, id)),
    async announcements(scope: Scope, id: string, query: ChannelListQuery) {
      const channel = await existing(scope, id);
      return await paginate(query, {
        binding: [scope.tag, "announcements", channel.id],
        read: async (before, limit) => await listAnnouncements(db.query, scope, channel.id, { before, limit }),
        view: (row) => announcementView(scope, row),
      });
    },
  };
}

async function create({ db, ids, mail }: ChannelsDeps, scope: Scope, kind: ChannelKind, input: ChannelInput) {
  const settings = newSettings(kind, input);
  if (kind === "email" && scope.environment === "sandbox")
    throw new ServiceError("conflict", { detail: "A sandbox sends no e-mail. Create the channel in live." });
  if (kind === "email" && !mail.isOn)
    throw new ServiceError("conflict", {
      detail: "This installation sends no e-mail: its operator has set no JUNCTION_SMTP_URL.",
    });
  const { bucket, tag, workspaceId } = scope;
  return await db.transaction(async (tx) => {
    const others = await store.listChannels(tx.query, scope, { before: undefined, limit: MAX_CHANNELS });
    if (others.length >= MAX_CHANNELS)
      throw new ServiceError("conflict", {
        detail: `An environment has at most ${MAX_CHANNELS} channels. Delete one first.`,
      });
    const row = { bucket, tag, id: ids.uuid(), workspace_id: workspaceId, kind, ...settings };
    return channelView(scope, await store.insertChannel(tx, row));
  });
}

function channelView(scope: Scope, row: ChannelRow) {
  return {
    id: wireId("apc", scope.tag, row.id),
    object: "approval_channel" as const,
    kind: row.kind as ChannelKind,
    name: row.name,
    slack_channel_id: row.slack_channel_id,
    recipients: row.recipients,
    risks: row.risks as ("low" | "medium" | "high")[] | null,
    actions: row.actions,
    after_minutes: row.after_minutes,
    remind_every_minutes: row.remind_every_minutes,
    decisions: row.decides,
    active: row.active,
    ...scopeFields(scope),
    created_at: toRfc3339(uuidTime(row.id)),
    updated_at: toRfc3339(fromDate(row.updated_at)),
  };
}

function announcementView(scope: Scope, row: AnnouncementRow) {
  // While an announcement is leased, `due_at` is the end of the lease.
  const next = row.lease_id === null ? row.due_at : null;
  return {
    id: wireId("ann", scope.tag, row.id),
    object: "approval_announcement" as const,
    channel_id: wireId("apc", scope.tag, row.channel_id),
    proposal_id: wireId("prop", scope.tag, row.proposal_id),
    state: row.state as "waiting",
    reminders: row.reminders,
    attempts: row.attempts,
    max_attempts: MAX_ATTEMPTS,
    error_class: row.error_class,
    error: row.error,
    next_attempt_at: moment(next),
    announced_at: moment(row.announced_at),
    ended_at: moment(row.ended_at),
    ...scopeFields(scope),
    created_at: toRfc3339(uuidTime(row.id)),
  };
}
