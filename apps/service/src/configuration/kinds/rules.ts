import { revealedHeaders } from "../../automation/automation.ts";
import type { Rules } from "../../automation/automation.ts";
import { exactObject, listOf, recordOf } from "./documents.ts";
import type { Document } from "./documents.ts";
import type { Kind } from "./kind.ts";
import { namedApart, readAll } from "./named.ts";
import type { References } from "./references.ts";

const DEFAULTS = { on: [], when: { all: [] }, then: [], priority: 100, enabled: true, max_runs_per_minute: 600 };

export function ruleKind(rules: Rules): Kind {
  return {
    section: "rules",
    identity: "name",
    subject: "rule",
    operations: { read: "rules.list", create: "rules.create", update: "rules.update", delete: "rules.delete" },
    required: ["name", "on", "then"],
    exact: ["when", "then"],
    base: [],
    stays: () => ["enabled"],
    resolve,
    async read({ scope }, { workflowNames }) {
      const { environment } = scope;
      const all = await readAll(async (page) => await rules.list(scope, { ...page, environment }));
      return namedApart(all.map(exactObject), ({ name }) => String(name)).map(([name, view]) => ({
        id: String(view["id"]),
        name,
        document: resolve({ ...view, name, then: byName(view["then"], workflowNames) }),
      }));
    },
    async create(caller, document, references) {
      await rules.create(caller, inputOf(document, references));
    },
    async change(caller, { held, document, changed }, references) {
      const { condition, actions, ...rest } = inputOf(document, references);
      const members = Object.entries(rest).filter(([name]) => changed.has(name));
      await rules.change(caller, held.id, {
        ...Object.fromEntries(members),
        ...(changed.has("when") ? { condition } : {}),
        ...(changed.has("then") ? { actions } : {}),
      });
    },
    remove: async (caller, { id }) => await rules.remove(caller, id),
    headersOf: async ({ scope }, { id }) => revealedHeaders(await rules.revealHeaders(scope, id)),
  };
}

function resolve(document: Document): Document {
  const { name = "", ...all } = document;
  const { on, when, then, priority, enabled, max_runs_per_minute } = { ...DEFAULTS, ...all };
  return { name, on: [...new Set(on)], when, then, priority, enabled, max_runs_per_minute };
}

/** Shows workflows by their names. One that no longer exists keeps its id. */
function byName(then: unknown, names: ReadonlyMap<string, string>): unknown {
  return listOf(then).map((one) => {
    const { workflow_id: id, type, ...rest } = recordOf(one);
    const workflow = names.get(String(id));
    return type !== "start_workflow" || workflow === undefined ? one : { type, workflow, ...rest };
  });
}

function inputOf(document: Document, { workflows }: References) {
  const { name, on, when, then, priority, enabled, max_runs_per_minute } = document;
  const actions = listOf(then).map((one) => {
    const { workflow, ...rest } = recordOf(one);
    return rest["type"] !== "start_workflow" || workflow === undefined
      ? one
      : { ...rest, workflow_id: workflows.get(workflow as string) };
  });
  return {
    name: name as string,
    on: on as string[],
    condition: JSON.stringify(when),
    actions: JSON.stringify(actions),
    priority: priority as number,
    enabled: enabled as boolean,
    max_runs_per_minute: max_runs_per_minute as number,
  };
}
