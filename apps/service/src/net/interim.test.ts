import fc from "fast-check";
import { expect, test } from "vitest";
import { createInterimFilter } from "./interim.ts";

const CONTINUE = "HTTP/1.1 100 Continue\r\nx-a: b\r\n\r\n";
const FINAL = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

test("100 Continue is taken out however the bytes are split", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40 })), fc.nat(3), (sizes, count) => {
      const filter = createInterimFilter();
      let rest = Buffer.from(CONTINUE.repeat(count) + FINAL);
      let given = "";
      for (const size of [...sizes, 1000]) {
        const chunk = rest.subarray(0, size);
        rest = rest.subarray(size);
        if (chunk.length === 0) break;
        // Once bytes were given back the response has begun, and the filter is no longer asked.
        given += given === "" ? (filter(chunk)?.toString() ?? "") : chunk.toString();
      }
      expect(given).toBe(FINAL);
    }),
  );
});

test("an interim head without end is handed on rather than kept", () => {
  const filter = createInterimFilter();
  const endless = Buffer.from(`HTTP/1.1 100 Continue\r\nx: ${"y".repeat(20_000)}`);
  expect(filter(endless)?.length).toBe(endless.length);
});
