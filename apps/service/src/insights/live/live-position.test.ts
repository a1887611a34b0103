import { expect, test } from "vitest";
import { readPosition } from "./live-position.ts";

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
