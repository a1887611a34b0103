import { definitionOf } from "../../actions/actions.ts";
import type { ContractInput, Registry } from "../../actions/actions.ts";
import { pick, recordOf, without } from "./documents.ts";
import type { Document } from "./documents.ts";
import type { Kind } from "./kind.ts";
import { readAll } from "./named.ts";

const REQUIRED = ["key", "label", "surface", "roles", "requires_confirmation", "audit", "params", "endpoint"];
const OPTIONAL = [
  "description",
  "risk",
  "destructive",
  "reversible",
  "undo",
  "idempotent",
  "scope",
  "permission",
  "delivery",
  "auth",
  "response",
  "timeout_ms",
  "approval",
  "sandbox_endpoint",
];

export function contractKind(registry: Registry): Kind {
  return {
    section: "contracts",
    identity: "key",
    subject: "contract",
    operations: {
      read: "action_contracts.list",
      create: "action_contracts.create",
      update: "action_contracts.update",
      delete: "action_contracts.delete",
    },
    required: REQUIRED,
    base: ["destructive", "undo"],
    resolve,
    async read(caller) {
      const { environment } = caller.scope;
      const all = await readAll(async (page) => await registry.list(caller, { ...page, environment }));
      return all
        .filter(({ connector_key: connector }) => connector === null)
        .map((view) => ({ id: view.key, name: view.key, document: resolve({ ...view }) }));
    },
    async create(caller, document) {
      await registry.create(caller, document as unknown as ContractInput);
    },
    async change(caller, { held, document, changed }) {
      const patch = pick(document, [...changed]);
      // The rules that may approve are not part of a configuration, so they stay.
      const rules = changed.has("approval")
        ? (await registry.get(caller, held.id, { environment: caller.scope.environment })).approval.allow_rule
        : [];
      const approval = { ...recordOf(document["approval"]), allow_rule: rules };
      await registry.change(caller, held.id, {
        ...patch,
        ...(changed.has("approval") ? { approval } : {}),
      });
    },
    remove: async (caller, { id }) => await registry.remove(caller, id),
  };
}

function resolve(document: Document): Document {
  const definition = { ...definitionOf(document as unknown as ContractInput) };
  return pick({ ...definition, approval: without(definition.approval, ["allow_rule"]) }, [...REQUIRED, ...OPTIONAL]);
}
