import type { Channels } from "../../actions/actions.ts";
import { pick, without } from "./documents.ts";
import type { Document } from "./documents.ts";
import type { Kind } from "./kind.ts";
import { namedApart, readAll } from "./named.ts";

type ChannelKind = Parameters<Channels["create"]>[1];

const DEFAULTS = {
  kind: "slack",
  slack_channel_id: null,
  recipients: [],
  risks: null,
  actions: null,
  after_minutes: 0,
  remind_every_minutes: null,
  decisions: true,
  active: true,
};

export function channelKind(channels: Channels): Kind {
  return {
    section: "channels",
    identity: "name",
    subject: "channel",
    operations: {
      read: "approval_channels.list",
      create: "approval_channels.create",
      update: "approval_channels.update",
      delete: "approval_channels.delete",
    },
    required: ["name", "kind"],
    base: [],
    fixed: ["kind"],
    stays: () => ["active"],
    resolve,
    async read({ scope }) {
      const all = await readAll(async (page) => await channels.list(scope, page));
      return namedApart(all, ({ name }) => name).map(([name, view]) => ({
        id: view.id,
        name,
        document: resolve({ ...pick({ ...view }, Object.keys(DEFAULTS)), name }),
      }));
    },
    async create({ scope }, document) {
      await channels.create(scope, document["kind"] as ChannelKind, without(document, ["kind"]));
    },
    async change({ scope }, { held, document, changed }) {
      await channels.change(scope, held.id, pick(document, [...changed]));
    },
    remove: async ({ scope }, { id }) => await channels.remove(scope, id),
  };
}

/** E-mail decides nothing. */
function resolve({ name = "", ...document }: Document): Document {
  const all = { ...DEFAULTS, ...document };
  return { name, ...all, decisions: all.kind === "email" ? false : all.decisions };
}
