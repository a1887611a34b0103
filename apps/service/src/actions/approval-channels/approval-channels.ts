import type { Proposals } from "../proposals/proposals.ts";
import type { App, People } from "../../accounts/accounts.ts";
import type { Announcements } from "./announcements.ts";
import { createChannels } from "./channels.ts";
import type { ChannelsDeps } from "./channels.ts";
import { channelRoutes } from "./channels.routes.ts";
import { createSlackInteractions } from "./slack-interactions.ts";
import type { SlackInteractionsDeps } from "./slack-interactions.ts";
import { createSlackLinks } from "./slack-links.ts";
import type { SlackLinksDeps } from "./slack-links.ts";
import { slackRoutes } from "./slack.routes.ts";

type Own = "api" | "apps" | "links" | "proposals" | "wake";

export interface ApprovalChannelsDeps
  extends Omit<ChannelsDeps, Own>, Omit<SlackInteractionsDeps, Own>, Omit<SlackLinksDeps, "notices"> {
  readonly announcements: Announcements;
  readonly proposals: Pick<Proposals, "approve" | "reject">;
  readonly people: Pick<People, "provePresence" | "notices">;
}

/** Creates the channels of proposals, and the decisions that people make there (contract, section 11). */
export function createApprovalChannels({ announcements, ...deps }: ApprovalChannelsDeps) {
  const { api, apps, wake } = announcements;
  const links = createSlackLinks({ ...deps, notices: deps.people.notices });
  const channels = createChannels({ ...deps, api, apps });
  const interactions = createSlackInteractions({ ...deps, api, apps, links, wake });
  return {
    channels,
    routes(app: App): void {
      channelRoutes(app, channels);
      slackRoutes(app, { apps, links, interactions, people: deps.people });
    },
    /** Waits for the decisions in progress. */
    stop: interactions.stop,
  };
}
