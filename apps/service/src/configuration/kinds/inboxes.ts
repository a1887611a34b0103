import type { Tester } from "../../webhooks/webhooks.ts";
import type { Kind } from "./kind.ts";
import { readAll } from "./named.ts";

export function inboxKind({ named }: Pick<Tester, "named">): Kind {
  return {
    section: "inboxes",
    identity: "name",
    subject: "endpoint",
    operations: { read: "inboxes.list", create: "inboxes.put", update: "inboxes.put", delete: "inboxes.delete" },
    required: ["name"],
    base: [],
    resolve: ({ name }) => ({ name }),
    async read({ scope }, { inboxes }) {
      const all = await readAll(async (page) => await named.list(scope, page));
      for (const { name, url } of all) inboxes.set(name, url);
      return all.map(({ name }) => ({ id: name, name, document: { name } }));
    },
    async create({ scope }, { name }, { inboxes }) {
      const { url } = await named.put(scope, String(name));
      inboxes.set(String(name), url);
    },
    // An inbox has nothing but its name.
    change: async () => await Promise.resolve(),
    remove: async ({ scope }, { id }) => await named.remove(scope, id),
  };
}
