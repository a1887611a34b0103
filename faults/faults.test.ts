import { readFile } from "node:fs/promises";
import { afterAll, expect, test } from "vitest";
import { covers } from "../requirements/covers.ts";
import { EXPERIMENTS, runOne } from "./experiments.ts";
import { stopAll } from "./running.ts";

/** `npm run faults` runs all experiments. The ones here also run with every change, because they found something or end soonest. */
const LIMIT_MS = 320_000;

afterAll(async () => await stopAll());

async function holds(name: string): Promise<void> {
  const experiment = EXPERIMENTS.find((one) => one.name === name);
  if (experiment === undefined) throw new Error(`there is no experiment ${name}`);
  const finding = await runOne(experiment, { full: false });
  // vitest.config.ts reports a missing PostgreSQL 15; CI has one.
  if ("skipped" in finding) return;
  expect(finding.broken).toEqual([]);
  expect(finding.lost).toBe(0);
  expect(finding.accepted).toBeGreaterThan(0);
}

test("the page tells what each experiment does and promises", async () => {
  const page = await readFile(new URL("../docs/reliability.md", import.meta.url), "utf8");
  const untold = EXPERIMENTS.filter(({ done, promised }) => !page.includes(done) || !page.includes(promised));
  expect(untold.map(({ name }) => name)).toEqual([]);
});

test(
  "a rolling restart behind a balancer fails no request and loses no event",
  async () => await holds("rolling"),
  LIMIT_MS,
);

covers(
  "deliver.semantics.at-least-once",
  "a failover to a synchronous standby loses no accepted event",
  async () => await holds("failover"),
  LIMIT_MS,
);

covers(
  "deliver.semantics.at-least-once",
  "a database whose connections are taken recovers, and no accepted event is lost",
  async () => await holds("connections-taken"),
  LIMIT_MS,
);
