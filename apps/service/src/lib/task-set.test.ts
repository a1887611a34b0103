import { expect, test } from "vitest";
import { createTaskSet } from "./task-set.ts";

test("a task set holds a task until it has ended", async () => {
  const tasks = createTaskSet(() => undefined);
  const { promise, resolve } = Promise.withResolvers<void>();
  tasks.add(promise);
  expect(tasks.size).toBe(1);
  resolve();
  await tasks.settled();
  expect(tasks.size).toBe(0);
});

test("a task set reports a task's error, and the other tasks continue", async () => {
  const errors: unknown[] = [];
  const tasks = createTaskSet((error) => errors.push(error));
  let isDone = false;
  tasks.add(Promise.reject(new Error("broken")));
  tasks.add(
    Promise.resolve().then(() => {
      isDone = true;
    }),
  );
  await tasks.settled();
  expect(errors).toEqual([new Error("broken")]);
  expect([isDone, tasks.size]).toEqual([true, 0]);
});

test("a task set waits no longer than the timeout", async () => {
  const tasks = createTaskSet(() => undefined);
  tasks.add(new Promise(() => undefined));
  await tasks.settled(5);
  expect(tasks.size).toBe(1);
});
