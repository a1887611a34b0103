import { expect, test } from "vitest";
import { scanJson } from "../../lib/lib.ts";
import { isSameJson } from "./same-json.ts";

const scan = (text: string) => scanJson(Buffer.from(text));

test.each([
  ["1", "1.0", true],
  ["9007199254740993", "9007199254740992", false],
  ["1e2", "100", true],
  ["-0", "0", true],
  ['"1"', "1", false],
  ["null", "false", false],
  ['{"a":1,"b":[2]}', '{"b":[2.0],"a":1}', true],
  ['{"a":1}', '{"a":1,"b":null}', false],
  ['{"a":1,"b":null}', '{"a":1}', false],
  ["[1,2]", "[2,1]", false],
  ["[]", "{}", false],
  ['{"__proto__":1}', '{"__proto__":1}', true],
  ['{"__proto__":1}', "{}", false],
])("%s and %s are compared as %s", (a, b, isSame) => {
  expect(isSameJson(scan(a), scan(b))).toBe(isSame);
});
