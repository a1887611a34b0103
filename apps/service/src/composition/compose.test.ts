import { expect, test } from "vitest";
import { compose, creationOrder } from "./compose.ts";
import { defineModule, givenModule } from "./module.ts";
import type { Module } from "./module.ts";
import type { Phase, Worker } from "./points.ts";

function plain(name: string, needs: Readonly<Record<string, Module>> = {}): Module {
  return defineModule({ name, needs, create: () => name });
}

function working(name: string, workers: readonly Worker[], needs: Readonly<Record<string, Module>> = {}): Module {
  return defineModule({ name, needs, create: () => name, provides: () => ({ workers }) });
}

function worker(name: string, phase: Phase): Worker {
  return { name, phase };
}

test("a module is created after those that it needs, and is given their products", async () => {
  const settings = givenModule<{ readonly port: number }>("settings");
  const database = defineModule({
    name: "database",
    needs: { settings },
    create: ({ settings: { port } }) => port + 1,
  });
  const events = defineModule({ name: "events", needs: { database }, create: ({ database: made }) => [made] });
  const composed = await compose([events, database], [[settings, { port: 80 }]]);
  expect(composed.productOf(events)).toEqual([81]);
});

test("modules that need each other are refused with the names in the circle", () => {
  const needs: Record<string, Module> = {};
  const events = plain("events", needs);
  needs["rules"] = plain("rules", { events });
  expect(() => creationOrder([events])).toThrow("Modules need each other: events > rules > events.");
});

test("a given module that was not given is named", async () => {
  const settings = givenModule<number>("settings");
  await expect(compose([plain("events", { settings })], [])).rejects.toThrow(
    '"settings" was not given to the composer.',
  );
});

test("an extension point lists its items in the order of the modules", async () => {
  const listener = (name: string): Module =>
    defineModule({
      name,
      needs: {},
      create: () => name,
      provides: () => ({ upgrades: [{ of: name, done: "done", run: () => Promise.resolve(0) }] }),
    });
  const later = defineModule({
    name: "first in the list, created second",
    needs: { other: listener("b") },
    create: () => 0,
    provides: () => ({ upgrades: [{ of: "a", done: "done", run: () => Promise.resolve(0) }] }),
  });
  const { points } = await compose([later, ...Object.values(later.needs)], []);
  expect(points.upgrades().map(({ of }) => of)).toEqual(["a", "b"]);
});

test("reading a list too early throws; modules that read lists are created last", async () => {
  const early = defineModule({ name: "early", needs: {}, create: (_made, { points }) => points.routes() });
  await expect(compose([early], [])).rejects.toThrow('"routes" was read before all modules were created.');
  const reader = defineModule({
    name: "reader",
    needs: {},
    readsPoints: true,
    create: (_made, { points }) => points.workers().map(({ name }) => name),
  });
  const composed = await compose([reader, working("late", [worker("deliveries", "effects")])], []);
  expect(composed.productOf(reader)).toEqual(["deliveries"]);
});

test("workers are in the order of phases, then in that of creation", async () => {
  const one = working("one", [worker("http", "server"), worker("db", "base"), worker("deliveries", "effects")]);
  const two = working("two", [worker("events", "reactions"), worker("runs", "effects")], { one });
  const { workers } = await compose([two, one], []);
  expect(workers.map(({ name }) => name)).toEqual(["db", "deliveries", "runs", "events", "http"]);
});

test("a module sees that the service has begun to stop", async () => {
  const asking = defineModule({ name: "asking", needs: {}, create: (_made, { isStopping }) => isStopping });
  const composed = await compose([asking], []);
  const isStopping = composed.productOf(asking);
  expect(isStopping()).toBe(false);
  composed.stopping();
  expect(isStopping()).toBe(true);
});
