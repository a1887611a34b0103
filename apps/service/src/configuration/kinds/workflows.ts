import { revealedHeaders } from "../../automation/automation.ts";
import type { Workflows } from "../../automation/automation.ts";
import { exactObject, pick } from "./documents.ts";
import type { Document } from "./documents.ts";
import type { Kind } from "./kind.ts";
import { namedApart, readAll } from "./named.ts";

const DEFAULTS = { trigger: {}, steps: [], enabled: true, max_runs_per_minute: 600 };

export function workflowKind({ definitions }: Pick<Workflows, "definitions">): Kind {
  return {
    section: "workflows",
    identity: "name",
    subject: "workflow",
    operations: {
      read: "workflows.list",
      create: "workflows.create",
      update: "workflows.update",
      delete: "workflows.delete",
    },
    required: ["name", "trigger", "steps"],
    exact: ["trigger", "steps"],
    base: [],
    stays: () => ["enabled"],
    resolve: ({ name = "", ...document }) => ({
      name,
      ...pick({ ...DEFAULTS, ...document }, Object.keys(DEFAULTS)),
    }),
    async read({ scope }, { workflows, workflowNames }) {
      const all = (await readAll(async (page) => await definitions.list(scope, page))).map(exactObject);
      const isOwn = ({ environment }: Document): boolean => environment === scope.environment;
      // The names of the caller's own workflows take precedence over those of live ones.
      const named = namedApart([...all.filter(isOwn), ...all.filter((one) => !isOwn(one))], ({ name }) => String(name));
      for (const [name, view] of named) {
        workflows.set(name, String(view["id"]));
        workflowNames.set(String(view["id"]), name);
      }
      return named
        .filter(([, view]) => isOwn(view))
        .map(([name, view]) => ({
          id: String(view["id"]),
          name,
          document: this.resolve({ ...view, name }),
        }));
    },
    async create(caller, document, { workflows }) {
      const { name, enabled, max_runs_per_minute, trigger, steps } = inputOf(document);
      const given = { name, enabled, max_runs_per_minute, trigger, steps };
      const made = exactObject(await definitions.create(caller, given));
      workflows.set(name, String(made["id"]));
    },
    async change(caller, { held, document, changed }, { workflows }) {
      const members = Object.entries(inputOf(document)).filter(([name]) => changed.has(name));
      await definitions.change(caller, held.id, Object.fromEntries(members));
      workflows.set(String(document["name"]), held.id);
    },
    remove: async (caller, { id }) => await definitions.remove(caller, id),
    headersOf: async ({ scope }, { id }) => revealedHeaders(await definitions.revealHeaders(scope, id)),
  };
}

function inputOf({ name, trigger, steps, enabled, max_runs_per_minute }: Document) {
  return {
    name: name as string,
    enabled: enabled as boolean,
    max_runs_per_minute: max_runs_per_minute as number,
    trigger: JSON.stringify(trigger),
    steps: JSON.stringify(steps),
  };
}
