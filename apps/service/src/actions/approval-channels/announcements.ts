import type { Events } from "../../events/events.ts";
import { announcingProposals } from "./announce.ts";
import { countOverdue } from "./announcements.store.ts";
import { createAnnouncementWorker } from "./announcements.worker.ts";
import type { AnnouncementWorkerDeps } from "./announcements.worker.ts";
import { channelComposer } from "./channel-mail.ts";
import { createSlackApi } from "./slack-api.ts";
import type { SlackApiDeps } from "./slack-api.ts";
import { createSlackApps } from "./slack-app.ts";
import type { SlackAppsDeps } from "./slack-app.ts";

export interface AnnouncementsDeps extends Omit<AnnouncementWorkerDeps, "api" | "apps">, SlackApiDeps, SlackAppsDeps {}

export type Announcements = ReturnType<typeof createAnnouncements>;

/** Announces proposals where people are (contract, section 11). */
export function createAnnouncements(deps: AnnouncementsDeps) {
  const api = createSlackApi(deps);
  const apps = createSlackApps(deps);
  const { start, stop, wake } = createAnnouncementWorker({ ...deps, api, apps });
  return {
    /** Returns the same events, whose proposals are announced too. */
    announcing: <E extends Pick<Events, "fireWithin">>(events: E): E =>
      announcingProposals(events, { ids: deps.ids, wake }),
    /** The text of the channels' e-mail. */
    mail: channelComposer(deps),
    api,
    apps,
    /** Reports that a message may be out of date. */
    wake,
    /** Returns the number of announcements that are late, or failed and are tried again. */
    overdue: async () => await countOverdue(deps.db),
    start,
    /** Waits for the messages in progress. */
    stop,
  };
}
