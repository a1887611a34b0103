import { uuidOf } from "./keys.ts";
import type { Parsed, TestService } from "./test-service.ts";

let names = 0;

/** An event that only one test knows. */
export function freshEvent(): string {
  names += 1;
  return `rules.test-${names}`;
}

/** A rule, by the owner unless told; it fires an event of its own unless told. Answers its id. */
export async function ruleOn(service: TestService, more: Record<string, unknown>, key = service.key): Promise<string> {
  const then = [{ type: "fire_event", event: freshEvent(), data: {} }];
  const answer = await service.api("POST", "/v1/rules", { name: "Rule", then, ...more }, { key });
  if (answer.status !== 201) throw new Error(`no rule: ${answer.text}`);
  return answer.body["id"];
}

/** The rule's runs once there are so many and all have ended, oldest first. */
export async function runsOf(service: TestService, id: string, wanted = 1, key = service.key): Promise<Parsed[]> {
  for (const deadline = Date.now() + 60_000; ;) {
    const { body } = await service.api("GET", `/v1/rules/${id}/runs`, undefined, { key });
    const data: Parsed[] = body["data"];
    if (data.length >= wanted && data.every((run) => run.status !== "running")) return data.toReversed();
    if (Date.now() > deadline) throw new Error(`no ${wanted} runs: ${JSON.stringify(data).slice(0, 2000)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The event once all that reacts to it has ended. */
export async function endedEvent(service: TestService, eventId: string): Promise<Parsed> {
  return await service.until(`/v1/events/${eventId}`, (body) =>
    body["stages"].every((stage: Parsed) => ["done", "failed"].includes(stage.state)),
  );
}

/** A contact without history, and an event's data that leads to it. */
export async function someContact(service: TestService): Promise<{ id: string; data: { contact_id: string } }> {
  const { body } = await service.api("POST", "/v1/contacts", { email: `${freshEvent()}@example.com` });
  return { id: body["id"], data: { contact_id: body["id"] } };
}

/** As after a crash: whoever starts next takes up the event's rules anew. */
export async function dropStage(service: TestService, eventId: string): Promise<void> {
  await service.database.query(
    "update dispatch_stage set state = 'waiting', due_at = now(), lease_id = null where event_id = $1 and kind = 'rule'",
    [uuidOf(eventId)],
  );
}
