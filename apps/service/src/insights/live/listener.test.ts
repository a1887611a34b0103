import { expect, test } from "vitest";
import { createIdMaker, newTag, systemClock } from "../../lib/lib.ts";
import { beat, close, end, openStream, tell } from "./listener.ts";
import type { Listener } from "./listener.ts";
import { readPosition } from "./position.ts";

function listener(): Listener {
  return {
    scope: { workspaceId: createIdMaker(systemClock).uuid(), tag: newTag(), bucket: 1, environment: "live" },
    kinds: new Set(["delivery"]),
    position: "7:7:",
    stream: openStream(),
    recheck: async () => await Promise.resolve(new Set(["delivery" as const])),
    checkedMs: 0,
    endsMs: 1000,
    ended: false,
  };
}

test("a client that does not read is disconnected, and its buffer stays bounded", () => {
  const slow = listener();
  let told = 0;
  while (tell(slow, "delivery", JSON.stringify({ text: "x".repeat(1000) }))) told += 1;
  expect(slow.stream.destroyed).toBe(true);
  expect(told).toBeGreaterThan(100);
  expect(told).toBeLessThan(300);
  expect(beat(slow)).toBe(false);
});

test("nothing is sent after the end", async () => {
  const gone = listener();
  end(gone);
  expect(tell(gone, "delivery", "{}")).toBe(false);
  close(gone, "shutdown");
  let text = "";
  for await (const chunk of gone.stream) text += String(chunk);
  expect(text).toBe("retry: 3000\n\n");
});

test("a position is a PostgreSQL snapshot, and any other text is undefined", () => {
  for (const text of ["7:7:", "7:12:7,9,11", "1:2:1"]) expect(readPosition(text)?.text).toBe(text);
  expect(readPosition("7:12:8")?.xmax).toBe(12n);
  const wrong = [
    "",
    "7",
    "7:7",
    "8:7:",
    "0:7:",
    "7:9:9",
    "7:9:6",
    "7:12:9,8",
    "7:12:8,8",
    "7:12:8,",
    "x:7:",
    "7:7: ",
    `${"1".repeat(19)}:7:`,
  ];
  for (const text of wrong) expect([text, readPosition(text)]).toEqual([text, undefined]);
});
