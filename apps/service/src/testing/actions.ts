import type { Received, Receiver } from "./receiver.ts";
import type { ApiAnswer, Parsed, TestService } from "./test-service.ts";

let contracts = 0;

/** Creates a contract without confirmation whose backend is the receiver, by default with the owner's key. Returns the contract's key. */
export async function actionOn(
  service: TestService,
  receiver: Pick<Receiver, "url">,
  more: Record<string, unknown> = {},
  key = service.key,
): Promise<string> {
  contracts += 1;
  const contract = {
    key: `orders.refund_${contracts}`,
    label: "Refund an order",
    surface: ["api", "console"],
    roles: ["owner", "admin", "developer", "operator", "ai"],
    requires_confirmation: false,
    params: { order: { type: "string", max: 100 }, amount: { type: "int" }, note: { type: "string" } },
    endpoint: receiver.url,
    audit: true,
    ...more,
  };
  const made = await service.api("POST", "/v1/action-contracts", contract, { key });
  if (made.status !== 201) throw new Error(`no contract: ${made.text}`);
  return made.body["key"];
}

/** Creates the same contract with confirmation. */
export async function confirmedActionOn(
  service: TestService,
  receiver: Pick<Receiver, "url">,
  more: Record<string, unknown> = {},
): Promise<string> {
  return await actionOn(service, receiver, { requires_confirmation: true, ...more });
}

/** Requests a run of the action, by default with the owner's key. */
export async function runOf(
  service: TestService,
  action: string,
  more: Record<string, unknown> = {},
  options: Parameters<TestService["api"]>[3] = {},
): Promise<ApiAnswer> {
  return await service.api("POST", "/v1/actions/run", { action, parameters: { order: "ord_1" }, ...more }, options);
}

/** Creates a proposal, by default with the owner's key. */
export async function proposalOf(
  service: TestService,
  action: string,
  more: Record<string, unknown> = {},
  options: Parameters<TestService["api"]>[3] = {},
): Promise<Parsed> {
  const answer = await runOf(service, action, more, options);
  if (answer.status !== 202) throw new Error(`no proposal: ${answer.text}`);
  return answer.body["proposal"];
}

/** Returns the request that an action's backend received. */
export function toldTo(received: Received | undefined): Parsed {
  return JSON.parse(received?.body ?? "null");
}

/** Returns the names of the events about a run or a proposal, oldest first. */
export async function eventsAbout(service: TestService, subject: string): Promise<string[]> {
  const { body } = await service.api("GET", `/v1/events?subject=${subject}&limit=100`);
  return body["data"].map((event: Parsed) => event.event).toReversed();
}

/** Returns `kind status error_code` of the audit entries about a run or a proposal, oldest first. */
export async function auditAbout(
  service: TestService,
  column: "run_id" | "proposal_id",
  id: string,
): Promise<string[]> {
  const { uuidOf } = await import("./keys.ts");
  const rows = await service.database.query<{ kind: string; status: string; error_code: string | null }>(
    `select kind, status, error_code from audit_row where ${column} = $1 order by seq`,
    [uuidOf(id)],
  );
  return rows.map(({ kind, status, error_code: code }) => [kind, status, ...(code === null ? [] : [code])].join(" "));
}
