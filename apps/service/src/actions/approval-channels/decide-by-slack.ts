import type { Db } from "../../platform/db/db.ts";
import { parseId, ServiceError, sha256, wireId } from "../../lib/lib.ts";
import type { Id, Uuid } from "../../lib/lib.ts";
import { memberWireId, readStanding } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { ActionCaller } from "../callers/actor.ts";
import type { RequestContext } from "../requests/action-request.ts";
import type { Proposals } from "../proposals/proposals.ts";
import { adoptMessage, findAnnouncement } from "./announcements.store.ts";
import type { AnnouncementRow } from "./announcements.store.ts";
import { findChannel } from "./channels.store.ts";
import type { ChannelRow } from "./channels.store.ts";
import type { Tap } from "./interaction.ts";

export interface DecideBySlackDeps {
  readonly db: Db;
  readonly proposals: Pick<Proposals, "approve" | "reject">;
}

export interface SlackDecision {
  readonly scope: Scope;
  /** The member to whom the Slack account is linked. */
  readonly memberId: Uuid;
  readonly tap: Tap;
  /** The bytes that Slack signed. The same bytes decide once, however often they arrive. */
  readonly body: Buffer;
  readonly instance: string;
  readonly requestId: Id;
}

/**
 * Decides as the console does for the member: with the role, the second-person rule and the hash of this moment. Throws
 * what the console would be answered.
 */
export async function decideBySlack(deps: DecideBySlackDeps, decision: SlackDecision): Promise<void> {
  const { scope, tap, memberId } = decision;
  const announcement = await ownAnnouncement(deps, scope, tap);
  const asker = await askerOfMember(deps, scope, memberId);
  const { tag } = scope;
  const of = { id: wireId("prop", tag, announcement.proposal_id), request: decisionRequest(decision) };
  const decider = { asker, isPerson: true };
  if (tap.decision === "reject") await deps.proposals.reject(decider, { ...of, reason: undefined });
  else await deps.proposals.approve(decider, { ...of, input: { params_hash: tap.paramsHash } });
}

/** Throws 403 or 404 unless the message is one that this environment sent to one of its channels, and may still decide. */
async function ownAnnouncement({ db }: DecideBySlackDeps, scope: Scope, tap: Tap): Promise<AnnouncementRow> {
  const { announcementId, channelId, messageTs: ts } = tap;
  const parsed = parseId(announcementId);
  const isOwn = parsed?.prefix === "ann" && parsed.tag === scope.tag;
  const row = isOwn ? await findAnnouncement(db.query, scope, parsed.uuid) : undefined;
  if (row === undefined)
    throw new ServiceError("not_found", {
      detail: "This message is about a proposal of another workspace or environment.",
    });
  assertDecidesIn(await findChannel(db.query, scope, row.channel_id), row, channelId);
  if (row.slack_ts === null) await adoptMessage(db.query, scope, row.id, { channelId, ts });
  return row;
}

function assertDecidesIn(channel: ChannelRow | undefined, row: AnnouncementRow, channelId: string): void {
  if (channel?.active !== true || !channel.decides)
    throw new ServiceError("surface_not_allowed", { detail: "Proposals can no longer be decided in this channel." });
  if ((row.slack_channel_id ?? channel.slack_channel_id) !== channelId)
    throw new ServiceError("surface_not_allowed", {
      detail: "Decide in the channel in which the proposal was announced.",
    });
}

/** Returns the member with their rights of this moment. Throws 401 if they are not a member. */
async function askerOfMember({ db }: DecideBySlackDeps, scope: Scope, memberId: Uuid): Promise<ActionCaller> {
  const author = { kind: "member", id: memberId } as const;
  const rights = await readStanding(db, scope.workspaceId, author);
  if (rights === undefined || rights.revokedAt !== null)
    throw new ServiceError("key_revoked", { detail: "You are no longer a member of this workspace." });
  return {
    scope,
    actor: { type: "user", id: memberWireId(scope, memberId), display: null, key_id: null, ip: null },
    rights,
    surface: "console",
    isAi: false,
    author,
    keyId: null,
    memberId: rights.memberId,
    people: rights.people,
    chain: [],
    tenant: null,
    via: "slack",
  };
}

function decisionRequest({ scope, memberId, body, instance, requestId }: SlackDecision): RequestContext {
  const hash = sha256(body);
  const key = `slack-${hash.toString("hex")}`;
  const { bucket, tag } = scope;
  return { ref: { bucket, tag, lineageId: memberId, key, requestHash: hash }, instance, requestId };
}
