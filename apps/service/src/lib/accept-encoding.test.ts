import { expect, test } from "vitest";
import { acceptedEncoding } from "./lib.ts";

test("the first offered coding that a request accepts is used", () => {
  const offered = ["br", "gzip"] as const;
  for (const [accepted, coding] of [
    [undefined, undefined],
    ["", undefined],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip;q=1.0, deflate", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["br ; q=0.000 , GZIP;q=0.5", "gzip"],
    ["br;q=0.001", "br"],
    ["gzip;q=0, br;q=0", undefined],
    ["xbr, gzipped", undefined],
    ["identity", undefined],
  ] as const) {
    expect([accepted, acceptedEncoding(accepted, offered)]).toEqual([accepted, coding]);
  }
});
