import { sourceDefaults } from "../../webhooks/webhooks.ts";
import type { Inbound, SourceChangeInput } from "../../webhooks/webhooks.ts";
import { isSame, pick } from "./documents.ts";
import type { Document } from "./documents.ts";
import type { Kind } from "./kind.ts";
import { namedApart, readAll } from "./named.ts";

const DEFAULTS = {
  description: "",
  active: true,
  scheme: null,
  charset: null,
  handshakes: null,
  event_name: null,
};
export function sourceKind({ sources }: Pick<Inbound, "sources">): Kind {
  return {
    section: "sources",
    identity: "name",
    subject: "source",
    operations: {
      read: "inbound_endpoints.list",
      create: "inbound_endpoints.create",
      update: "inbound_endpoints.update",
      delete: "inbound_endpoints.delete",
    },
    required: ["name"],
    base: ["sender", "preset", "contact_email_path", "scheme"],
    fixed: ["sender", "preset"],
    stays: () => ["active"],
    toggle: "inbound_endpoints.toggle",
    resolve,
    async read({ scope }) {
      const all = await readAll(async (page) => await sources.list(scope, page));
      const own = all.filter(({ tenant }) => tenant === null);
      return namedApart(own, ({ name }) => name).map(([name, view]) => ({
        id: view.id,
        name,
        document: resolve({ ...documentOf({ ...view }), name }),
      }));
    },
    async create({ scope }, document) {
      const { sender, preset, ...own } = document;
      const start = sender === null ? { preset } : { sender };
      const usual = resolve(pick(document, ["sender", "preset", "contact_email_path", "scheme"]));
      const given = Object.entries(own).filter(([member, value]) => !isSame(value, usual[member]));
      const { name, contact_email_path: path, scheme } = document;
      const chosen = { contact_email_path: path, ...(scheme === null ? {} : { scheme }) };
      const input: Document = { ...start, ...chosen, ...Object.fromEntries(given), name };
      await sources.create(scope, input);
    },
    async change({ scope }, { held, document, changed }) {
      const { scheme, signature_scheme: named, ...rest } = pick(document, [...changed]);
      const isCustom = document["scheme"] !== null;
      await sources.change(scope, held.id, {
        ...rest,
        ...(isCustom && scheme !== undefined ? { scheme } : {}),
        ...(!isCustom && named !== undefined ? { signature_scheme: named } : {}),
      } as SourceChangeInput);
    },
    remove: async ({ scope }, { id }) => await sources.remove(scope, id),
  };
}

/** A description of its own takes the place of a named scheme. */
function resolve(document: Document): Document {
  const { name = "", sender = null, preset = "custom", score: _inMapping, ...own } = document;
  const { signature_scheme: usual, ...mapping } = sourceDefaults(document);
  const scheme = (own["scheme"] ?? null) === null ? usual : "custom";
  return { name, sender, preset, ...DEFAULTS, signature_scheme: scheme, ...mapping, ...own };
}

function documentOf(view: Document): Document {
  const { scheme, ...document } = pick(view, ["sender", "preset", ...Object.keys(resolve({}))]);
  return { ...document, scheme: view["signature_scheme"] === "custom" ? scheme : null };
}
