import type { Events } from "../../events/events.ts";
import type { MailComposer } from "../../platform/mail/mail.ts";
import { announcingProposals } from "./announce.ts";
import { countOverdue } from "./announcements.store.ts";
import { createAnnouncementWorker } from "./announcements.worker.ts";
import type { AnnouncementWorkerDeps } from "./announcements.worker.ts";
import { channelComposer } from "./channel-mail.ts";
import { createSlackApi } from "./slack-api.ts";
import type { SlackApi, SlackApiDeps } from "./slack-api.ts";
import { createSlackApps } from "./slack-app.ts";
import type { SlackApps, SlackAppsDeps } from "./slack-app.ts";

/** Announces proposals where people are (contract, section 11). */
export interface Announcements {
  /** Returns the same events, whose proposals are announced too. */
  announcing<E extends Pick<Events, "fireWithin">>(events: E): E;
  /** The text of the channels' e-mail. */
  readonly mail: MailComposer;
  readonly api: SlackApi;
  readonly apps: SlackApps;
  /** Reports that a message may be out of date. */
  wake(): void;
  /** Returns the number of announcements that are late, or failed and are tried again. */
  overdue(): Promise<number>;
  start(): void;
  /** Waits for the messages in progress. */
  stop(): Promise<void>;
}

export interface AnnouncementsDeps extends Omit<AnnouncementWorkerDeps, "api" | "apps">, SlackApiDeps, SlackAppsDeps {}

export function createAnnouncements(deps: AnnouncementsDeps): Announcements {
  const api = createSlackApi(deps);
  const apps = createSlackApps(deps);
  const worker = createAnnouncementWorker({ ...deps, api, apps });
  return {
    announcing: (events) => announcingProposals(events, { ids: deps.ids, wake: worker.wake }),
    mail: channelComposer(deps),
    api,
    apps,
    wake: worker.wake,
    overdue: async () => await countOverdue(deps.db),
    start: worker.start,
    stop: worker.stop,
  };
}
