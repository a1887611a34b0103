import { expect, test } from "vitest";
import { createIdMaker, systemClock } from "../../lib/lib.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Event } from "../event/event.ts";
import { drive } from "./run-stages.ts";
import type { Driving, Journey } from "./run-stages.ts";

const uuid = createIdMaker(systemClock).uuid;

/** Returns an event with stages of one priority. */
function journeyOf(keys: readonly string[]): Journey {
  const event = { id: uuid() } as Event;
  const stages = keys.map((key) => ({
    bucket: 1,
    tag: "tag" as never,
    event_id: event.id,
    priority: 40,
    kind: "rule" as const,
    key,
    attempts: 0,
  }));
  return { event, stages, deliveries: undefined };
}

test("a group waits for its other stages when one cannot be recorded", async () => {
  const slow = Promise.withResolvers<void>();
  let ended = false;
  const driving: Driving = {
    // No stage is late, so nothing is written.
    deps: { db: {} as Db, stageWaitMs: 60_000 },
    leaseId: uuid(),
    runStage: async ({ stage }) => {
      if (stage.key === "broken") throw new Error("the write failed");
      await slow.promise;
    },
    track: () => undefined,
  };
  const driven = drive(driving, journeyOf(["broken", "slow"])).finally(() => {
    ended = true;
  });
  driven.catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(ended).toBe(false);
  slow.resolve();
  await expect(driven).rejects.toThrow("the write failed");
});
