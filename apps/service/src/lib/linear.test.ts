import { expect, test } from "vitest";
import { longTexts, thrown } from "../testing/fuzz.ts";
import { acceptedEncoding } from "./accept-encoding.ts";
import { readDecimal } from "./decimal.ts";
import { parseId } from "./ids.ts";
import { JsonError, parseJson, scanJson } from "./json.ts";
import { decodeCursor } from "./page.ts";
import { readPath } from "./path.ts";
import { readTemplate } from "./template.ts";

const texts = [
  ...longTexts("[", '"', "\\", '\\"', "{}", " ", ":", "1,"),
  ...longTexts("${", "}", "'", "$.", "['a']", "=", ";q=0", "0"),
];

/** Node accepts no longer headers. */
const HEADER = 16 * 1024;

test.each([
  ["JSON text", (text: string) => parseJson(text)],
  ["JSON bytes", (text: string) => scanJson(Buffer.from(text))],
  ["a closed array of it", (text: string) => parseJson(`[${JSON.stringify(text)},{"a":${JSON.stringify(text)}}]`)],
  ["a template", (text: string) => readTemplate(text)],
  ["a path", (text: string) => readPath(`$${text}`)],
  ["a number", (text: string) => readDecimal(text)],
  ["an id", (text: string) => parseId(text)],
  ["a cursor", (text: string) => thrown(() => decodeCursor(text, ["list"]))],
  ["Accept-Encoding", (text: string) => acceptedEncoding(text.slice(0, HEADER), ["gzip"])],
])("250 kB of any repeated piece is read to its end as %s", (_what, read) => {
  for (const text of texts) {
    const fault = thrown(() => read(text));
    if (fault !== undefined) expect(fault).toBeInstanceOf(JsonError);
  }
});
