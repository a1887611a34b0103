import type { HotReader } from "../platform/db/db.ts";
import { isSystem } from "../events/events.ts";
import type { NewEvent } from "../events/events.ts";
import { answersTo } from "../events/subscriptions/dispatch.store.ts";
import type { Asked } from "../events/subscriptions/dispatch.store.ts";

/**
 * What a subscriber has to know of the database about every batch of events: asked in one statement with what the others ask, so that
 * one more subscriber costs no round trip. Nothing is kept: the next batch is answered anew.
 */
export interface Question {
  /** Of all subscribers one alone has it. */
  readonly name: string;
  /**
   * SQL without parameters: a select of `(tag, event, found)`, all text, from `asked (bucket, tag, workspace_id, event, is_open,
   * is_sandbox)`, the distinct workspaces and names of the batch. `event` null: found for all events of the tag. `is_open`: `*` takes it.
   */
  readonly text: string;
}

/** What the database said, and a way to ask on: it may be a transaction. */
export interface Answers extends HotReader {
  /** What the subscriber's own question found for an event, in no order. */
  found(event: Pick<NewEvent, "scope" | "name">): readonly string[];
}

/** Asks all questions at once; the answers are each asker's own. */
export async function askAll(
  reader: HotReader,
  questions: readonly Question[],
  events: readonly NewEvent[],
): Promise<(question: Question | undefined) => Answers> {
  const rows = questions.length === 0 || events.length === 0 ? [] : await answersTo(reader, questions, askedOf(events));
  const found = Map.groupBy(rows, (row) => keyOf(row.question, row.tag, row.event));
  return (question) => ({
    hot: async (statement, values) => await reader.hot(statement, values),
    found({ scope, name }) {
      if (question === undefined) return [];
      const keys = [keyOf(question.name, scope.tag, name), keyOf(question.name, scope.tag, null)];
      return keys.flatMap((key) => found.get(key) ?? []).map((row) => row.found);
    },
  });
}

function askedOf(events: readonly NewEvent[]): Asked[] {
  const asked = new Map<string, Asked>();
  for (const { scope, name } of events) {
    const { bucket, tag, workspaceId, environment } = scope;
    const key = `${tag} ${name}`;
    if (asked.has(key)) continue;
    asked.set(key, {
      bucket,
      tag,
      workspaceId,
      event: name,
      isOpen: !isSystem(name),
      isSandbox: environment === "sandbox",
    });
  }
  return [...asked.values()];
}

function keyOf(question: string, tag: string, event: string | null): string {
  return `${question} ${tag} ${event ?? ""}`;
}
