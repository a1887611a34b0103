import { PromotionBody, PromotionView, t } from "../../lib/lib.ts";
import { callerOf, keepers, live, owners, readers, writers, route } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import * as shapes from "./contracts.schemas.ts";
import type { Registry } from "./registry.ts";

const KeyParams = t.Object({ key: t.StringExample("billing.refund", { description: "The key of the contract." }) });

export function contractRoutes(app: App, registry: Registry): void {
  createRoute(app, registry);
  readRoutes(app, registry);
  changeRoutes(app, registry);
  promotionRoute(app, registry);
  secretRoutes(app, registry);
}

function createRoute(app: App, registry: Registry): void {
  route(app, "POST /v1/action-contracts", {
    config: {
      operation: "action_contracts.create",
      callers: writers,
      audit: "contract",
      errors: ["url_blocked", "conflict", "step_up_required"],
    },
    operationId: "createActionContract",
    summary: "Register an action",
    description:
      "Defines who can request the action, its parameters and the backend that performs it. The response contains the secret that signs the calls to the backend.",
    body: shapes.ContractBody,
    response: { 201: shapes.ContractWithSecret },
    handler: async (request) => await registry.create(callerOf(request), request.body),
  });
}

function readRoutes(app: App, registry: Registry): void {
  route(app, "GET /v1/action-contracts", {
    config: { operation: "action_contracts.list", callers: readers },
    operationId: "listActionContracts",
    summary: "List actions",
    description:
      "Newest first, in both environments. Callers who may write contracts see all of them. Others see only the contracts that they may run from the current surface.",
    querystring: shapes.ContractListQuery,
    response: { 200: shapes.ContractListView },
    handler: async (request) => await registry.list(callerOf(request), request.query),
  });

  route(app, "GET /v1/action-contracts/:key", {
    config: { operation: "action_contracts.get", callers: readers },
    operationId: "getActionContract",
    summary: "Show an action",
    description:
      "Returns the current version of the contract, with every default filled in. The sandbox and live can each have a contract of this key.",
    params: KeyParams,
    querystring: shapes.ContractQuery,
    response: { 200: shapes.ContractView },
    handler: async (request) => await registry.get(callerOf(request), request.params.key, request.query),
  });

  route(app, "GET /v1/action-contracts/:key/versions", {
    config: { operation: "action_contracts.versions", callers: readers },
    operationId: "listActionContractVersions",
    summary: "List an action's versions",
    description: "Newest first. Each change created a version, and versions never change.",
    params: KeyParams,
    querystring: shapes.VersionListQuery,
    response: { 200: shapes.VersionListView },
    handler: async (request) => await registry.versions(callerOf(request), request.params.key, request.query),
  });
}

function changeRoutes(app: App, registry: Registry): void {
  route(app, "PATCH /v1/action-contracts/:key", {
    config: {
      operation: "action_contracts.update",
      callers: writers,
      audit: "contract",
      errors: ["url_blocked", "conflict", "step_up_required"],
    },
    operationId: "updateActionContract",
    summary: "Change an action",
    description:
      "Replaces each member in the request as a whole, and creates a new version. Proposals of an older version can no longer be approved. A connector's contract cannot be edited.",
    params: KeyParams,
    body: shapes.ContractPatch,
    response: { 200: shapes.ContractView },
    handler: async (request) => await registry.change(callerOf(request), request.params.key, request.body),
  });

  route(app, "DELETE /v1/action-contracts/:key", {
    config: { operation: "action_contracts.delete", callers: writers, audit: "contract", errors: ["conflict"] },
    operationId: "deleteActionContract",
    summary: "Delete an action",
    description:
      "The action can no longer be run. Its runs are kept, and its key can be registered again. A connector's contract is deleted when the connector is disabled.",
    params: KeyParams,
    response: { 204: t.Null() },
    handler: async (request) => {
      await registry.remove(callerOf(request), request.params.key);
    },
  });
}

function promotionRoute(app: App, registry: Registry): void {
  route(app, "POST /v1/action-contracts/:key/promote", {
    config: {
      operation: "action_contracts.promote",
      callers: live(keepers),
      audit: "contract",
      errors: ["url_blocked", "conflict", "step_up_required"],
    },
    operationId: "promoteActionContract",
    summary: "Promote an action to live",
    description:
      "Copies the sandbox's contract to live: as a new contract, or as a new version of the live contract with the same key. With `dry_run`, only returns the difference. A promotion needs what the same edit needs: only an owner can loosen a contract, with a step-up if the workspace asks for them and the risk was high. Live keeps its own `approval.allow_rule`. A secret that the contract names must exist in live.",
    params: KeyParams,
    body: PromotionBody,
    response: { 200: PromotionView },
    handler: async (request) => await registry.promote(callerOf(request), request.params.key, request.body ?? {}),
  });
}

function secretRoutes(app: App, registry: Registry): void {
  route(app, "GET /v1/action-contracts/:key/secret", {
    config: { operation: "action_contracts.secret", callers: owners, audit: "contract" },
    operationId: "revealActionSigningSecret",
    summary: "Show an action's signing secret",
    description:
      "For owners only, and audited. While a regenerated secret overlaps with the previous one, the response contains both.",
    params: KeyParams,
    response: { 200: shapes.SigningSecretView },
    handler: async (request) => await registry.reveal(callerOf(request), request.params.key),
  });

  route(app, "POST /v1/action-contracts/:key/secret/regenerate", {
    config: { operation: "action_contracts.secret.regenerate", callers: writers, audit: "contract" },
    operationId: "regenerateActionSigningSecret",
    summary: "Regenerate an action's signing secret",
    description:
      "With `overlap_seconds`, both secrets sign for that time, so that the backend can change to the new one.",
    params: KeyParams,
    body: shapes.RegenerateBody,
    response: { 200: shapes.ContractWithSecret },
    handler: async (request) =>
      await registry.regenerate(callerOf(request), request.params.key, request.body?.overlap_seconds ?? 0),
  });
}
