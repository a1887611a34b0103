import { isRecord, wireId } from "../../lib/lib.ts";
import type { IdMaker, Violation } from "../../lib/lib.ts";
import type { Members, StepPort } from "../../automation/automation.ts";
import type { Net } from "../../platform/outbound-http/outbound-http.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { OwnInboxes } from "../../webhooks/webhooks.ts";
import { missingSecret } from "../backend-secrets/secrets.ts";
import type { Secrets } from "../backend-secrets/secrets.ts";
import { cancelCalls, readCall } from "../../http-calls/http-calls.ts";
import type { HttpCalls, NewCall } from "../../http-calls/http-calls.ts";

interface PortDeps {
  readonly ids: IdMaker;
  readonly net: Pick<Net, "vet">;
  readonly inboxes: Pick<OwnInboxes, "addressOf">;
  readonly isSecretSet: Secrets["isSet"];
}

/** Creates the `http` action of rules and step of workflows, which ends when its call ends. */
export function createCallPort(deps: PortDeps, { store }: Pick<HttpCalls, "store">): StepPort {
  return {
    type: "http",
    check: async (scope, members) => await vetted(deps, scope, members),
    references: async (scope, members) => ({ faults: await missing(deps, scope, members), replaced: new Map() }),
    foresee: async () => await Promise.resolve({ sends: true }),
    async begin(tx, { scope, owner, runId, stepId, event, tenant, author, contactId, input }) {
      const { bucket, tag, workspaceId } = scope;
      const id = deps.ids.uuid();
      await store(tx, {
        bucket,
        tag,
        id,
        workspace_id: workspaceId,
        owner_kind: owner.kind,
        owner_id: owner.id,
        owner_name: owner.name,
        run_id: runId,
        step: stepId,
        event_id: event.id,
        tenant,
        author_kind: author.kind,
        author_id: author.id,
        contact_id: contactId,
        ...storedRequest(input),
      });
      return { kind: "waits", output: JSON.stringify({ http_call_id: wireId("call", tag, id) }) };
    },
    cancel: async (tx, { scope, runId, stepId }) => await cancelCalls(tx, scope, runId, stepId),
  };
}

function storedRequest(text: string): Pick<NewCall, "replay_of" | "request" | "host"> {
  return { replay_of: null, request: text, host: new URL(readCall(text).url).host };
}

/** Checks the addresses of a call when it is saved. A path may contain values, the host may not. Throws `url_blocked`. */
async function vetted({ net, inboxes }: PortDeps, scope: Scope, { url, auth }: Members): Promise<Violation[]> {
  const [literal = ""] = String(url).split("${", 1);
  await net.vet(await inboxes.addressOf(scope, literal));
  const tokenUrl = isRecord(auth) ? auth["token_url"] : undefined;
  if (typeof tokenUrl === "string") await net.vet(tokenUrl);
  return [];
}

/** Returns a fault for a secret that the environment does not have. */
async function missing({ isSecretSet }: PortDeps, scope: Scope, { auth }: Members): Promise<Violation[]> {
  const name = isRecord(auth) ? auth["secret_ref"] : undefined;
  if (typeof name !== "string" || (await isSecretSet(scope, name))) return [];
  return [missingSecret("/auth/secret_ref", name)];
}
