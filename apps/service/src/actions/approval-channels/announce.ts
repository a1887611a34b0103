import type { EventDraft, Events } from "../../events/events.ts";
import type { Tx } from "../../platform/db/db.ts";
import { parseId, parseJson } from "../../lib/lib.ts";
import type { IdMaker } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { onProposed } from "../proposals/proposal-events.ts";
import { insertAnnouncements } from "./announcements.store.ts";
import { takes } from "./channel.ts";
import { activeChannels } from "./channels.store.ts";

export interface AnnounceDeps {
  readonly ids: IdMaker;
  /** Called after the commit. */
  wake(): void;
}

interface Proposed {
  readonly proposal_id: string;
  readonly action: string;
  readonly risk: string;
}

/**
 * Returns the same events. Each fired `action.proposed` also stores an announcement for each channel that takes it, in
 * its transaction, so that no announcement is lost and none is made of a proposal that was not.
 */
export function announcingProposals<E extends Pick<Events, "fireWithin">>(events: E, deps: AnnounceDeps): E {
  return onProposed(events, async (tx, drafts) => {
    const groups = Map.groupBy(drafts, ({ scope }) => scope.tag);
    for (const [first, ...others] of groups.values())
      if (first !== undefined) await announce(deps, tx, first.scope, [first, ...others]);
  });
}

async function announce(
  { ids, wake }: AnnounceDeps,
  tx: Tx,
  scope: Scope,
  drafts: readonly EventDraft[],
): Promise<void> {
  const channels = await activeChannels(tx.query, scope);
  const rows = drafts.flatMap(({ data }) => {
    const proposal = parseJson(data) as Proposed;
    const proposalId = parseId(proposal.proposal_id)?.uuid;
    if (proposalId === undefined) return [];
    return channels
      .filter((channel) => takes(channel, proposal))
      .map(({ id, after_minutes }) => ({
        id: ids.uuid(),
        channel_id: id,
        proposal_id: proposalId,
        after_minutes,
      }));
  });
  if (rows.length === 0) return;
  await insertAnnouncements(tx, scope, rows);
  tx.onCommit(wake);
}
