import type { HotReader } from "../../platform/db/db.ts";
import { audienceOf } from "../event/event.ts";
import type { MatchedEvent } from "../event/event.ts";
import { answersTo } from "./dispatch.store.ts";
import type { MatchInput, SubscriberQuery } from "../event/question.ts";

type Asked = Pick<MatchedEvent, "scope" | "name" | "tenant" | "isInternal">;
type Named = Pick<Asked, "scope" | "name">;

/** Returns the answers to a subscriber's own question for an event, in no order. */
export type Findings = (question: SubscriberQuery | undefined, event: Named) => readonly string[];

/** Asks all questions in one statement. */
export async function askAll(
  reader: HotReader,
  questions: readonly SubscriberQuery[],
  events: readonly Asked[],
): Promise<Findings> {
  const rows = questions.length === 0 || events.length === 0 ? [] : await answersTo(reader, questions, askedOf(events));
  const found = Map.groupBy(rows, (row) => keyOf(row.question, row.tag, row.event));
  return (question, { scope, name }) => {
    if (question === undefined) return [];
    const keys = [keyOf(question.name, scope.tag, name), keyOf(question.name, scope.tag, null)];
    return keys.flatMap((key) => found.get(key) ?? []).map((row) => row.found);
  };
}

function askedOf(events: readonly Asked[]): MatchInput[] {
  const asked = new Map<string, MatchInput & { readonly tenants: Set<string> }>();
  for (const event of events) {
    const { scope, name } = event;
    const tenant = audienceOf(event);
    const { bucket, tag, workspaceId, environment } = scope;
    const key = `${tag} ${name}`;
    const tenants = asked.get(key)?.tenants ?? new Set();
    if (tenant !== null) tenants.add(tenant);
    if (asked.has(key)) continue;
    asked.set(key, {
      bucket,
      tag,
      workspaceId,
      event: name,
      isSandbox: environment === "sandbox",
      tenants,
    });
  }
  return [...asked.values()];
}

function keyOf(question: string, tag: string, event: string | null): string {
  return `${question} ${tag} ${event ?? ""}`;
}
