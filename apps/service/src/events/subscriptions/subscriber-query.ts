import type { HotReader } from "../../platform/db/db.ts";
import { audienceOf } from "../event/event.ts";
import type { MatchedEvent, SubscriberQuery } from "../event/event.ts";
import { answersTo } from "./dispatch.store.ts";
import type { MatchInput } from "./dispatch.store.ts";

type AskedEvent = Pick<MatchedEvent, "scope" | "name" | "tenant" | "isInternal">;

/** Returns the answers to a subscriber's own question for an event, in no order. */
export type Findings = (
  question: SubscriberQuery | undefined,
  event: Pick<AskedEvent, "scope" | "name">,
) => readonly string[];

/** Asks all questions in one statement. */
export async function askAll(
  reader: HotReader,
  questions: readonly SubscriberQuery[],
  events: readonly AskedEvent[],
): Promise<Findings> {
  const rows =
    questions.length === 0 || events.length === 0 ? [] : await answersTo(reader, questions, inputsOf(events));
  const found = Map.groupBy(rows, (row) => keyOf(row.question, row.tag, row.event));
  return (question, { scope, name }) => {
    if (question === undefined) return [];
    const keys = [keyOf(question.name, scope.tag, name), keyOf(question.name, scope.tag, null)];
    return keys.flatMap((key) => found.get(key) ?? []).map((row) => row.found);
  };
}

function inputsOf(events: readonly AskedEvent[]): MatchInput[] {
  const inputs = new Map<string, MatchInput>();
  for (const event of events) {
    const { bucket, tag, workspaceId, environment } = event.scope;
    const key = `${tag} ${event.name}`;
    let input = inputs.get(key);
    if (input === undefined) {
      const isSandbox = environment === "sandbox";
      input = { bucket, tag, workspaceId, event: event.name, isSandbox, tenants: new Set() };
      inputs.set(key, input);
    }
    const tenant = audienceOf(event);
    if (tenant !== null) input.tenants.add(tenant);
  }
  return [...inputs.values()];
}

function keyOf(question: string, tag: string, event: string | null): string {
  return `${question} ${tag} ${event ?? ""}`;
}
