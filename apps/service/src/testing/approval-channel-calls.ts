import { absentId, tagOfId } from "./keys.ts";
import { joined, OWNER, signIn } from "./people.ts";
import type { TestPerson } from "./people.ts";
import { linkAccount } from "./slack-app.ts";
import type { TestService } from "./test-service.ts";

type Args = Record<string, unknown>;
type Make = (service: TestService) => Promise<Args> | Args;
type MakeByPerson = (service: TestService) => Promise<{ readonly args: Args; readonly person: TestPerson }>;

const app = {
  team_id: "T0CALLS",
  signing_secret: "a signing secret".replaceAll(" ", "-"),
  bot_token: "xoxb-0-calls-token",
};
const channel = { kind: "slack", name: "Approvals", slack_channel_id: "C0CALLS" };

/** The rows of testing/calls.ts for the channels of approvals and for Slack. */
export const approvalChannelCalls: Readonly<
  Record<string, { readonly good: Make | MakeByPerson; readonly bad: Make }>
> = {
  "approval_channels.list": { good: () => ({ limit: 1 }), bad: () => ({ cursor: "x" }) },
  "approval_channels.get": { good: freshChannel, bad: noChannel },
  "approval_channels.announcements.list": { good: freshChannel, bad: noChannel },
  "approval_channels.create": { good: () => channel, bad: () => ({ ...channel, slack_channel_id: null }) },
  "approval_channels.update": {
    good: async (service) => ({ ...(await freshChannel(service)), name: "Refunds" }),
    bad: async (service) => ({ ...(await freshChannel(service)), actions: ["refunds"] }),
  },
  "approval_channels.delete": { good: freshChannel, bad: noChannel },
  "approval_channels.test": { good: freshChannel, bad: noChannel },
  "slack_app.get": { good: withApp(() => ({})), bad: () => ({ limit: 1 }) },
  "slack_app.put": { good: withApp(() => app), bad: () => ({ ...app, team_id: "C1" }) },
  "slack_app.delete": { good: withApp(() => ({})), bad: () => ({ limit: 1 }) },
  "slack_links.create": {
    good: async (service) => {
      await setApp(service);
      // A new code of a member ends the earlier one.
      const person = await joined(service, "admin");
      return { args: { password: person.password }, person };
    },
    bad: () => ({ password: 1 }),
  },
  "slack_links.list": { good: () => ({ limit: 1 }), bad: () => ({ cursor: "x" }) },
  "slack_links.delete": {
    good: async (service) => {
      await setApp(service);
      return { id: await linkAccount(service, await signIn(service, OWNER), { ...app, userId: "U0CALLS" }) };
    },
    bad: async (service) => ({ id: absentId({ tag: tagOfId((await service.fire()).id) }, "slu") }),
  },
};

async function freshChannel(service: TestService): Promise<Args> {
  const made = await service.api("POST", "/v1/approval-channels", channel);
  if (made.status !== 201) throw new Error(`no channel: ${made.text}`);
  return { id: made.body["id"] };
}

async function noChannel(service: TestService): Promise<Args> {
  return { id: absentId({ tag: tagOfId((await service.fire()).id) }, "apc") };
}

function withApp(args: () => Args): Make {
  return async (service) => {
    await setApp(service);
    return args();
  };
}

async function setApp(service: TestService): Promise<void> {
  const set = await service.api("PUT", "/v1/slack-app", app);
  if (set.status !== 200) throw new Error(`no Slack app: ${set.text}`);
}
