import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startHttpCalls } from "../testing/http-calls.ts";
import type { HttpCallTest } from "../testing/http-calls.ts";
import type { Receiver } from "../testing/receiver.ts";

let receiver: Receiver;
let origin: string;
let tryCall: HttpCallTest["tryCall"];
let close: () => Promise<void>;

beforeAll(async () => {
  ({ receiver, origin, tryCall, close } = await startHttpCalls());
});
afterAll(async () => await close());

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");

async function answerTo(
  body: Buffer,
  type: string | undefined,
  headers: Record<string, string> = {},
): Promise<unknown> {
  receiver.answer((response) =>
    response.writeHead(200, { ...(type === undefined ? {} : { "Content-Type": type }), ...headers }).end(body),
  );
  const { body: tried } = await tryCall({ method: "GET", url: `${origin}/` });
  return tried["response"];
}

describe("an HTTP call reads the answer of an API", () => {
  test.each<[string, Buffer, string | undefined, unknown]>([
    ["with a byte order mark", Buffer.from('\uFEFF{"n":1}'), "application/json", { n: 1 }],
    [
      "in ISO-8859-15",
      latin1('{"n":"Zo\u00EB \u00A4"}'),
      "application/json;charset=ISO-8859-15",
      { n: "Zo\u00EB \u20AC" },
    ],
    ["in UTF-16 with a mark", Buffer.from('\uFEFF{"n":"\u00EB"}', "utf16le"), undefined, { n: "\u00EB" }],
    [
      "whose type was joined",
      latin1('{"n":"\u00EB"}'),
      "application/json; charset=latin1, text/plain",
      { n: "\u00EB" },
    ],
  ])("%s", async (_name, body, type, value) => {
    expect(await answerTo(body, type)).toMatchObject({ body: value, text: null });
    expect(await answerTo(gzipSync(body), type, { "Content-Encoding": "gzip" })).toMatchObject({ body: value });
  });

  test("of text in its character set, and none of bytes that are not text", async () => {
    expect(await answerTo(latin1("Zo\u00EB"), "text/plain; charset=latin1")).toMatchObject({ text: "Zo\u00EB" });
    for (const type of ["text/plain", "text/plain; charset=x-none"])
      expect(await answerTo(latin1("Zo\u00EB"), type)).toMatchObject({ body: null, text: null });
  });

  test("up to the last whole character of one that is too long", async () => {
    const found = await answerTo(Buffer.from("\u20AC".repeat(30_000)), "text/plain");
    expect(found).toMatchObject({ truncated: true, text: "\u20AC".repeat(21_845) });
  });
});
