import type { Db } from "../../platform/db/db.ts";
import { MAX_CHAIN } from "../../events/events.ts";
import type { Subscriber } from "../../events/events.ts";
import type { IdMaker } from "../../lib/lib.ts";
import { tasksPart, ASSISTANTS_QUERY } from "./assistant.store.ts";

export interface SubscriberDeps {
  readonly db: Db;
  readonly ids: IdMaker;
  readonly wake: () => void;
}

const STAGE = { kind: "assistant", key: "assistant", priority: 50 } as const;

/**
 * Stores which events the assistant receives, and ends: a slow or unreachable model delays no later stage.
 * An event that no assistant subscribes to gets no stage.
 */
export function createSubscriber({ db, ids, wake }: SubscriberDeps): Subscriber {
  return {
    kind: "assistant",
    question: ASSISTANTS_QUERY,
    match: ({ chain }, found) => (chain.length < MAX_CHAIN && found.length > 0 ? [STAGE] : []),
    async reactAll(reactions, ended) {
      const tasks = reactions.map(({ event: { scope, id, chain } }) => {
        const { bucket, tag, workspaceId } = scope;
        return { bucket, tag, id: ids.uuid(), workspace_id: workspaceId, event_id: id, chain: [...chain] };
      });
      const all = [...reactions.keys()];
      const made = await db.commit([tasksPart(tasks), ended(all)], "select id from tasks");
      if (made.length > 0) wake();
      return all.map(() => undefined);
    },
  };
}
