import fc from "fast-check";
import { expect, test } from "vitest";
import { createInterimFilter } from "./interim.ts";

const CONTINUE = "HTTP/1.1 100 Continue\r\nx-a: b\r\n\r\n";
const FINAL = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

test("100 Continue is removed however the bytes are split", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40 })), fc.nat(3), (sizes, count) => {
      const filter = createInterimFilter();
      let rest = Buffer.from(CONTINUE.repeat(count) + FINAL);
      let given = "";
      for (const size of [...sizes, 1000]) {
        const chunk = rest.subarray(0, size);
        rest = rest.subarray(size);
        if (chunk.length === 0) break;
        // After the filter has returned bytes, the response has begun, and the filter is no longer called.
        given += given === "" ? (filter(chunk)?.toString() ?? "") : chunk.toString();
      }
      expect(given).toBe(FINAL);
    }),
  );
});

test("interim heads are removed in any order, but 101 and final heads stay", () => {
  const heads = ["HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n", CONTINUE, "HTTP/1.0 102 Processing\r\n\r\n"];
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...heads), { maxLength: 16 }),
      fc.integer({ min: 1, max: 40 }),
      (before, size) => {
        const filter = createInterimFilter();
        const bytes = Buffer.from(before.join("") + FINAL);
        let given = "";
        for (let at = 0; at < bytes.length; at += size) {
          const chunk = bytes.subarray(at, at + size);
          given += given === "" ? (filter(chunk)?.toString() ?? "") : chunk.toString();
        }
        expect(given).toBe(FINAL);
      },
    ),
  );
  for (const head of ["HTTP/1.1 101 Switching Protocols\r\n\r\n", FINAL, "HTTP/2 103\r\n\r\n"])
    expect(createInterimFilter()(Buffer.from(head))?.toString()).toBe(head);
});

test("an interim head without end is passed on instead of kept", () => {
  const filter = createInterimFilter();
  const endless = Buffer.from(`HTTP/1.1 100 Continue\r\nx: ${"y".repeat(20_000)}`);
  expect(filter(endless)?.length).toBe(endless.length);
});
