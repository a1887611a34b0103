import { brokerKindOf, namedAuthorOf, resolvedDestination } from "../../webhooks/webhooks.ts";
import type { Deliver, DestinationInput, EndpointInput, EndpointView } from "../../webhooks/webhooks.ts";
import { exactJson, pick, recordOf } from "./documents.ts";
import type { Document } from "./documents.ts";
import type { Kind } from "./kind.ts";
import { namedApart } from "./named.ts";
import type { References } from "./references.ts";

const DEFAULTS = {
  url: null,
  inbox: null,
  events: [],
  kind: "webhook",
  active: true,
  description: "",
  headers: {},
  rate_limit_per_second: null,
  max_in_flight: 16,
  filter: null,
  transform: null,
  event_versions: null,
  ordering: null,
  retry_schedule: null,
  auth: null,
  destination: null,
  signatures: ["service", "standard"],
  wire: "service",
  channels: [],
  metadata: {},
  uid: null,
};
/** The members that endpoints of kind `pull` do not have. */
const SENDING = ["url", "inbox", "rate_limit_per_second", "max_in_flight", "destination"];
const TEXTS = ["filter", "transform"];

export function endpointKind({ endpoints }: Pick<Deliver, "endpoints">): Kind {
  return {
    section: "endpoints",
    identity: "name",
    subject: "endpoint",
    operations: {
      read: "webhook_endpoints.list",
      create: "webhook_endpoints.create",
      update: "webhook_endpoints.update",
      delete: "webhook_endpoints.delete",
    },
    required: ["name", "events"],
    exact: ["filter", "transform"],
    base: ["kind"],
    fixed: ["kind"],
    stays: () => ["active"],
    toggle: "webhook_endpoints.toggle",
    resolve,
    async read({ scope }, { inboxes }) {
      const names = new Map([...inboxes].map(([name, url]) => [url, name]));
      return namedApart(await endpoints.own(scope), ({ name }) => name).map(([name, view]) => ({
        id: view.id,
        name,
        document: resolve({ ...documentOf(view, names), name }),
      }));
    },
    async create({ key, scope }, document, references) {
      const input = inputOf(resolve(document), references) as unknown as EndpointInput;
      await endpoints.create(scope, input, namedAuthorOf(key));
    },
    async change({ key, scope }, { held, document, changed }, references) {
      const isMoved = changed.has("url") || changed.has("inbox");
      // A new URL needs the consent to send it the secrets.
      const sent = [...changed, ...(isMoved ? ["url", "inbox", "auth"] : [])];
      await endpoints.change(scope, held.id, inputOf(pick(document, sent), references), namedAuthorOf(key));
    },
    remove: async ({ scope }, { id }) => await endpoints.remove(scope, id),
    pending: async ({ scope }, ids) => await endpoints.undelivered(scope, ids),
    async headersOf({ scope }, { id }) {
      const { headers } = await endpoints.revealHeaders(scope, id);
      return new Map(Object.entries(headers).map(([name, value]) => [`/headers/${name}`, value]));
    },
  };
}

function resolve(document: Document): Document {
  const { name, ...all } = { name: "", ...DEFAULTS, ...document } as typeof DEFAULTS & { name: unknown };
  const { ordering, events, channels } = all;
  const resolved = {
    name,
    ...all,
    events: [...new Set(events)],
    channels: [...new Set(channels)],
    ordering: ordering === null ? null : { on_failed: "block", ...recordOf(ordering) },
  };
  if (all.kind === "pull") return { ...resolved, url: null, inbox: null, max_in_flight: null };
  const kind = brokerKindOf(all);
  const given = all.destination as DestinationInput | null;
  if (kind === undefined || given === null) return resolved;
  const destination = resolvedDestination(kind, given);
  const attempts = document["max_in_flight"] ?? destination.max_items ?? DEFAULTS.max_in_flight;
  return { ...resolved, destination, max_in_flight: attempts };
}

function documentOf(view: EndpointView, inboxes: ReadonlyMap<string, string>): Document {
  const { filter, transform, ...rest } = pick({ ...view }, Object.keys(DEFAULTS));
  const inbox = inboxes.get(view.url ?? "");
  return {
    ...rest,
    ...(inbox === undefined ? {} : { url: null, inbox }),
    filter: filter === null ? null : exactJson(filter as string),
    transform: transform === null ? null : exactJson(transform as string),
  };
}

/** Returns the members as the front door takes them. */
function inputOf(document: Document, { inboxes }: References): Partial<EndpointInput> {
  const members = Object.entries(document).flatMap(([name, value]): [string, unknown][] => {
    if (name === "inbox") return [];
    if (name === "url" && value === null)
      return document["inbox"] == null ? [] : [["url", inboxes.get(document["inbox"] as string)]];
    if (TEXTS.includes(name) && value !== null) return [[name, JSON.stringify(value)]];
    return document["kind"] === "pull" && SENDING.includes(name) ? [] : [[name, value]];
  });
  return Object.fromEntries(members);
}
