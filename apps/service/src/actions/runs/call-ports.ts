import { isRecord, membersOf, wireId } from "../../lib/lib.ts";
import type { IdMaker, Uuid, Violation } from "../../lib/lib.ts";
import type { Capability, StepPort } from "../../automation/automation.ts";
import type { Net } from "../../platform/outbound-http/outbound-http.ts";
import { ownUuid } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { OwnInboxes } from "../../webhooks/webhooks.ts";
import { missingSecret } from "../backend-secrets/secrets.ts";
import type { Secrets } from "../backend-secrets/secrets.ts";
import { cancelCalls, readCall } from "../../http-calls/http-calls.ts";
import type { HttpCalls, NewCall } from "../../http-calls/http-calls.ts";

export interface CallPorts {
  /** The `http` action of rules. The call is stored in the transaction of the rule's run. */
  readonly ruleAction: Capability;
  /** The `http` step of workflows, which ends when its call ends. */
  readonly step: StepPort;
}

interface PortDeps {
  readonly ids: IdMaker;
  readonly net: Pick<Net, "vet">;
  readonly inboxes: Pick<OwnInboxes, "addressOf">;
  readonly isSecretSet: Secrets["isSet"];
}

/** Creates the ways on which rules and workflows make calls. */
export function createCallPorts(deps: PortDeps, { store }: Pick<HttpCalls, "store">): CallPorts {
  return {
    ruleAction: {
      when: "within",
      check: async (scope, action) => await vetted(deps, scope, action),
      references: async (scope, action) => ({ faults: await missing(deps, scope, action), replaced: new Map() }),
      foresee: async () => await Promise.resolve({ sends: true }),
      async run(tx, caller, { key, action }) {
        const { scope, event, contactId = null } = caller;
        const id = deps.ids.uuid();
        await store(tx, {
          ...placeOf(scope, id),
          owner_kind: "rule",
          owner_id: ownUuid(scope, "rule", caller.ruleId),
          owner_name: caller.ruleName,
          run_id: ownUuid(scope, "rrun", caller.runId),
          step: key.slice(key.lastIndexOf("-") + 1),
          event_id: event.id,
          tenant: event.tenant,
          author_kind: caller.author.kind,
          author_id: caller.author.id,
          contact_id: contactId,
          ...requestOf(action),
        });
        return { state: "done", told: { http_call_id: wireId("call", scope.tag, id) } };
      },
    },
    step: {
      type: "http",
      check: async (scope, input) => await vetted(deps, scope, membersOf(input)),
      references: async (scope, input) => await missing(deps, scope, membersOf(input)),
      async begin(tx, call) {
        const { scope, chain } = call;
        const id = deps.ids.uuid();
        await store(tx, {
          ...placeOf(scope, id),
          owner_kind: "workflow",
          owner_id: call.workflowId,
          owner_name: call.workflowName,
          run_id: call.runId,
          step: call.stepId,
          event_id: chain.at(-1) ?? null,
          tenant: call.tenant,
          author_kind: call.author.kind,
          author_id: call.author.id,
          contact_id: call.contactId,
          ...requestOf(call.input),
        });
        return { kind: "waits", output: JSON.stringify({ http_call_id: wireId("call", scope.tag, id) }) };
      },
      cancel: async (tx, { scope, runId, stepId }) => await cancelCalls(tx, scope, runId, stepId),
    },
  };
}

function placeOf(
  { bucket, tag, workspaceId }: Scope,
  id: Uuid,
): Pick<NewCall, "bucket" | "tag" | "id" | "workspace_id"> {
  return { bucket, tag, id, workspace_id: workspaceId };
}

function requestOf(text: string): Pick<NewCall, "replay_of" | "request" | "host"> {
  return { replay_of: null, request: text, host: new URL(readCall(text).url).host };
}

/** Checks the addresses of a call when it is saved. A path may contain values, the host may not. Throws `url_blocked`. */
async function vetted(
  { net, inboxes }: PortDeps,
  scope: Scope,
  action: Readonly<Record<string, unknown>>,
): Promise<Violation[]> {
  const { url, auth } = action;
  const [literal = ""] = String(url).split("${", 1);
  await net.vet(await inboxes.addressOf(scope, literal));
  const tokenUrl = isRecord(auth) ? auth["token_url"] : undefined;
  if (typeof tokenUrl === "string") await net.vet(tokenUrl);
  return [];
}

/** Returns a fault for a secret that the environment does not have. */
async function missing(
  { isSecretSet }: PortDeps,
  scope: Scope,
  { auth }: Readonly<Record<string, unknown>>,
): Promise<Violation[]> {
  const name = isRecord(auth) ? auth["secret_ref"] : undefined;
  if (typeof name !== "string" || (await isSecretSet(scope, name))) return [];
  return [missingSecret("/auth/secret_ref", name)];
}
