import { uuidOf } from "./keys.ts";
import type { Parsed, TestService } from "./test-service.ts";

let names = 0;

/** Returns the name of an event that only one test uses. */
export function freshEvent(): string {
  names += 1;
  return `rules.test-${names}`;
}

/** Creates a rule, by default as the owner and with an action that fires a new event. Returns its id. */
export async function ruleOn(service: TestService, more: Record<string, unknown>, key = service.key): Promise<string> {
  const then = [{ type: "fire_event", event: freshEvent(), data: {} }];
  const answer = await service.api("POST", "/v1/rules", { name: "Rule", then, ...more }, { key });
  if (answer.status !== 201) throw new Error(`no rule: ${answer.text}`);
  return answer.body["id"];
}

/** Returns the rule's runs once there are this number and all have ended, oldest first. */
export async function runsOf(service: TestService, id: string, wanted = 1, key = service.key): Promise<Parsed[]> {
  for (const deadline = Date.now() + 60_000; ;) {
    const { body } = await service.api("GET", `/v1/rules/${id}/runs`, undefined, { key });
    const data: Parsed[] = body["data"];
    if (data.length >= wanted && data.every((run) => run.status !== "running")) return data.toReversed();
    if (Date.now() > deadline) throw new Error(`no ${wanted} runs: ${JSON.stringify(data).slice(0, 2000)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Returns the event after all of its subscribers have ended. */
export async function endedEvent(service: TestService, eventId: string): Promise<Parsed> {
  return await service.until(`/v1/events/${eventId}`, (body) =>
    body["stages"].every((stage: Parsed) => ["done", "failed"].includes(stage.state)),
  );
}

/** Creates a contact without history. Returns it with data of an event about it. */
export async function someContact(service: TestService): Promise<{ id: string; data: { contact_id: string } }> {
  const { body } = await service.api("POST", "/v1/contacts", { email: `${freshEvent()}@example.com` });
  return { id: body["id"], data: { contact_id: body["id"] } };
}

/** Simulates a crash, so that a node runs the event's rules again. */
export async function dropStage(service: TestService, eventId: string): Promise<void> {
  await service.database.query(
    "update dispatch_stage set state = 'waiting', due_at = now(), lease_id = null where event_id = $1 and kind = 'rule'",
    [uuidOf(eventId)],
  );
}
