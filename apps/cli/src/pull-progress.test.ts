import { afterEach, expect, test, vi } from "vitest";
import { createPullProgress } from "./commands/pull-progress.ts";
import type { Io } from "./io.ts";

afterEach(() => vi.useRealTimers());

function silentIo(more: Partial<Io>): Io & { readonly messages: string[] } {
  const messages: string[] = [];
  return {
    env: {},
    canAsk: false,
    isTerminal: false,
    hasColor: false,
    showsProgress: false,
    columns: 0,
    signal: new AbortController().signal,
    out: () => undefined,
    err: (text) => void messages.push(text),
    input: async () => await Promise.resolve(""),
    ask: async () => await Promise.resolve(""),
    hide: () => undefined,
    messages,
    ...more,
  };
}

test("without a terminal, the progress is logged once a minute, and at the end", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const io = silentIo({});
  const lags = [3, undefined];
  const progress = createPullProgress(io, async () => await Promise.resolve(lags.shift()));
  for (let offset = 1; offset <= 2500; offset += 1) {
    await progress.passed(offset);
    vi.advanceTimersByTime(50);
  }
  progress.end();
  expect(io.messages).toEqual([
    "Messages done: 1,201, up to offset 1,201. 2 are left.\n",
    "Messages done: 2,401, up to offset 2,401.\n",
    "Messages done: 2,500, up to offset 2,500.\n",
  ]);
});

test("a lag that cannot be read stops nothing", async () => {
  const io = silentIo({ showsProgress: true });
  const progress = createPullProgress(io, async () => await Promise.reject(new Error("away")));
  progress.end();
  expect(io.messages).toEqual([]);
  await progress.passed(7);
  progress.io.err("A message.\n");
  expect(io.messages).toEqual(["\r\u001B[Kmessages  1", "\r\u001B[K", "A message.\n"]);
});
