import { actionOn, confirmedActionOn, proposalOf, runOf } from "./actions.ts";
import { mintKey } from "./keys.ts";
import { startReceiver } from "./receiver.ts";
import type { Receiver } from "./receiver.ts";
import type { ApiAnswer, Parsed, TestService } from "./test-service.ts";

type Case = (service: TestService) => Promise<Parsed>;

const NOWHERE = { url: "http://127.0.0.1:9/" };

/** Calls that cause each of the error codes of actions. */
export const actionProblems = {
  action_endpoint_failed: async (service: TestService) => (await runOf(service, await actionOn(service, NOWHERE))).body,
  action_endpoint_redirect: ran((receiver) => receiver.status(302, { Location: "http://127.0.0.1:9/" })),
  action_endpoint_timeout: ran((receiver) => receiver.answer(() => undefined), { timeout_ms: 200 }),
  secret_missing: async (service: TestService) =>
    (await runOf(service, await actionOn(service, NOWHERE, { auth: { type: "bearer", secret_ref: "nowhere" } }))).body,
  secret_host_refused: async (service: TestService) => {
    await service.api("PUT", "/v1/secrets/elsewhere", { value: "v", hosts: ["api.example.com"] });
    const auth = { type: "bearer", secret_ref: "elsewhere" };
    return (await runOf(service, await actionOn(service, NOWHERE, { auth }))).body;
  },
  self_approval_forbidden: decided(async (service) => await waiting(service, { destructive: true })),
  human_approval_required: decided(
    async (service) => await waiting(service),
    async (service) => (await mintKey(service, { role: "admin", actor_type: "service" })).key,
  ),
  step_up_required: async (service: TestService) => {
    const proposal = await waiting(service, { risk: "high" });
    const set = "update workspace set settings = settings || $1::jsonb";
    await service.database.query(set, ['{"require_step_up":true}']);
    const body = { params_hash: proposal.params_hash };
    const refused = await service.api("POST", `/v1/proposals/${proposal.id}/approve`, body);
    await service.database.query(set, ['{"require_step_up":false}']);
    return refused.body;
  },
  already_decided: decided(async (service) => {
    const proposal = await waiting(service);
    await service.api("POST", `/v1/proposals/${proposal.id}/reject`);
    return proposal;
  }),
  proposal_expired: decided(async (service) => {
    const proposal = await waiting(service);
    await service.database.query("update action_proposal set expires_at = now() where state = 'proposed'");
    return proposal;
  }),
  proposal_changed: decided(async (service) => ({ ...(await waiting(service)), params_hash: "0".repeat(64) })),
  contract_changed: decided(async (service) => {
    const proposal = await waiting(service);
    await service.api("PATCH", `/v1/action-contracts/${proposal.action}`, { label: "Another label" });
    return proposal;
  }),
  proposer_revoked: decided(async (service) => {
    const { id, key } = await mintKey(service);
    const proposal = await waiting(service, {}, key);
    await service.api("POST", `/v1/keys/${id}/revoke`);
    return proposal;
  }),
} as const satisfies Readonly<Record<string, Case>>;

async function waiting(service: TestService, more: Record<string, unknown> = {}, key = service.key): Promise<Parsed> {
  return await proposalOf(service, await confirmedActionOn(service, NOWHERE, more), {}, { key });
}

/** Returns the response to an approval of the proposal. */
function decided(make: Case, by: (service: TestService) => Promise<string> | string = (service) => service.key): Case {
  return async (service) => {
    const { id, params_hash } = await make(service);
    const key = await by(service);
    return (await service.api("POST", `/v1/proposals/${id}/approve`, { params_hash }, { key })).body;
  };
}

/** Returns the response to a run of an action whose backend is prepared like this. */
function ran(prepare: (receiver: Receiver) => void, more: Record<string, unknown> = {}): Case {
  return async (service) => {
    const receiver = await startReceiver();
    prepare(receiver);
    const answer: ApiAnswer = await runOf(service, await actionOn(service, receiver, more));
    await receiver.close();
    return answer.body;
  };
}
