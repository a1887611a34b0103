import { confirmedActionOn, runOf } from "./actions.ts";
import { mintKey } from "./keys.ts";
import type { TestKey } from "./keys.ts";
import { outcome, signIn } from "./people.ts";
import type { TestPerson } from "./people.ts";
import { startReceiver } from "./receiver.ts";
import type { Receiver } from "./receiver.ts";
import { startService } from "./service.ts";
import { standingArgs } from "./standing-approval-calls.ts";
import { UNLIMITED } from "./subscription.ts";
import type { ApiAnswer, Parsed, TestService } from "./test-service.ts";

type More = Record<string, unknown>;

export interface StandingWorld {
  readonly service: TestService;
  readonly receiver: Receiver;
  readonly owner: TestPerson;
  readonly agent: TestKey;
  /** Creates an action with a number `amount`, and returns its key. */
  actionFor(more?: More): Promise<string>;
  /** Writes a standing approval for the agent, by default as the owner. */
  write(action: string, more?: More, by?: TestPerson): Promise<ApiAnswer>;
  written(action: string, more?: More): Promise<Parsed>;
  ask(action: string, parameters: object, key?: string): Promise<ApiAnswer>;
  /** Returns `executed` or `pending_confirmation`, or the refusal. */
  asked(action: string, parameters: object, key?: string): Promise<string>;
  shown(standing: Parsed): Promise<Parsed>;
  close(): Promise<void>;
}

/** The parameters of actions in these tests. */
export const AMOUNT = {
  order: { type: "string", max: 100 },
  amount: { type: "number" },
  pin: { type: "string", sensitive: true },
};

/** Starts a service with an owner in a session, an AI key, and a backend that answers `{"done":true}`. */
export async function startStandingWorld(): Promise<StandingWorld> {
  const [service, receiver] = await Promise.all([startService({ env: UNLIMITED }), startReceiver()]);
  receiver.answer((response) => response.writeHead(200, { "Content-Type": "application/json" }).end('{"done":true}'));
  const owner = await signIn(service);
  const agent = await mintKey(service, { actor_type: "ai", role: "ai" });
  const write: StandingWorld["write"] = async (action, more = {}, by = owner) =>
    await by.call("POST", "/v1/standing-approvals", standingArgs(action, agent.id, more));
  const ask: StandingWorld["ask"] = async (action, parameters, key = agent.key) =>
    await runOf(service, action, { parameters }, { key });
  return {
    service,
    receiver,
    owner,
    agent,
    write,
    ask,
    actionFor: async (more = {}) =>
      await confirmedActionOn(service, receiver, { params: AMOUNT, surface: ["api", "console", "mcp"], ...more }),
    async written(action, more) {
      const made = await write(action, more);
      if (made.status !== 201) throw new Error(`no standing approval: ${made.text}`);
      return made.body;
    },
    async asked(action, parameters, key) {
      const answer = await ask(action, parameters, key);
      return answer.status < 300 ? answer.body["status"] : outcome(answer);
    },
    shown: async ({ id }) => (await service.api("GET", `/v1/standing-approvals/${id}`)).body,
    async close() {
      await service.close();
      await receiver.close();
    },
  };
}
