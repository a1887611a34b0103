import { afterAll, beforeAll, expect, test } from "vitest";
import { createLaneProgram, expectedOf, firstSeed, shownOf, takeStep } from "../../testing/lane-model.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

const PROGRAMS = 3;
const STEPS = 30;

let service: TestService;
beforeAll(async () => {
  // One retry, so that a failure is quick.
  service = await startService({ env: { ...UNLIMITED, JUNCTION_RETRY_LADDER: "1ms" } });
});
afterAll(async () => await service.close());

test("random programs lead to the states and the order that a model predicts", { timeout: 240_000 }, async () => {
  const first = firstSeed();
  for (let seed = first; seed < first + PROGRAMS; seed += 1) {
    const program = await createLaneProgram(service, { seed });
    for (let at = 0; at < STEPS; at += 1) {
      await takeStep(program);
      program.model.settle();
      await expect
        .poll(async () => await shownOf(service, program), {
          timeout: 20_000,
          interval: 20,
          message: `seed ${seed}, step ${at}`,
        })
        .toEqual(expectedOf(program));
    }
  }
});
