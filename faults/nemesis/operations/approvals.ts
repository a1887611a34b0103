import { CONTRACT, keep, post, take } from "./known.ts";
import type { Act, Acting } from "./known.ts";

interface ProposedView {
  readonly proposal?: { readonly id: string; readonly params_hash: string };
}

/** Registers the contract whose backend is the path `/backend` of a receiver. */
export async function registerContract(acting: Acting): Promise<void> {
  const [receiver] = acting.world.receivers;
  const path = "/v1/action-contracts";
  const contract = {
    key: CONTRACT,
    label: "Nemesis",
    surface: ["api"],
    roles: ["owner", "admin", "developer"],
    requires_confirmation: true,
    audit: true,
    params: { n: { type: "int" } },
    endpoint: `http://127.0.0.1:${receiver?.port}/backend`,
  };
  // Not an operation of the history: it has to succeed before the run begins.
  await post(acting, { op: "list", what: "contract", tenant: "" }, { path, body: contract });
}

const propose: Act = {
  name: "propose",
  weight: 4,
  async run(acting) {
    acting.known.events += 1;
    const n = acting.known.events;
    const body = { action: CONTRACT, parameters: { n } };
    const credential = acting.world.keys.service;
    const made = await post(acting, { op: "propose", n }, { path: "/v1/actions/run", body, credential });
    const { proposal } = (made ?? {}) as ProposedView;
    if (proposal !== undefined) keep(acting.known.proposals, { id: proposal.id, hash: proposal.params_hash });
  },
};

/** Proposals stay known for a while, so that several clients decide the same one. */
const decide: Act = {
  name: "decide",
  weight: 5,
  async run(acting) {
    const { random } = acting.client;
    const proposal = random.any(acting.known.proposals);
    if (proposal === undefined) return;
    if (random.chance(0.5)) take(acting.known.proposals, proposal);
    const { id, hash } = proposal;
    const op = random.chance(0.7) ? "approve" : "reject";
    const body = op === "approve" ? { params_hash: hash } : {};
    await post(acting, { op, proposal: id }, { path: `/v1/proposals/${id}/${op}`, body });
  },
};

export const approvalActs: readonly Act[] = [propose, decide];
