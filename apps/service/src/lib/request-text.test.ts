import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { ServiceError } from "./errors.ts";
import { requestForm, requestText } from "./request-text.ts";
import type { BodyHeaders } from "./request-text.ts";

const FORM = "application/x-www-form-urlencoded";
const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");

function refusal(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return error instanceof ServiceError ? `${error.code}: ${error.details.detail}` : error;
  }
}

test.each<[string, Buffer, BodyHeaders, unknown]>([
  ["UTF-8", Buffer.from("é"), {}, "é"],
  ["a mark", Buffer.from("\uFEFFé"), {}, "é"],
  ["Latin-1 that is named", latin1("é"), { "content-type": "application/json; charset=ISO-8859-1" }, "é"],
  ["identity", Buffer.from("a"), { "content-encoding": "identity" }, "a"],
  ["Latin-1", latin1("é"), {}, "unsupported_media_type: The body is not valid utf-8."],
  [
    "an unknown set",
    Buffer.from("a"),
    { "content-type": "text/plain; charset=klingon" },
    'unsupported_media_type: The character set "klingon" is not known.',
  ],
  [
    "gzip",
    gzipSync("a"),
    { "content-encoding": "GZIP" },
    'unsupported_media_type: Send the body without Content-Encoding, not with "GZIP".',
  ],
])("a text with %s is read or refused", (_name, body, headers, wanted) => {
  expect(refusal(() => requestText(body, headers))).toEqual(wanted);
});

test.each<[string, Buffer, BodyHeaders, unknown]>([
  ["UTF-8", Buffer.from("a=é"), {}, "é"],
  ["percent bytes", Buffer.from("a=%C3%A9+%2B+100%"), {}, "é + 100%"],
  ["ASCII in another set", Buffer.from("a=b"), { "content-type": `${FORM}; charset=iso-8859-1` }, "b"],
  ["Latin-1", latin1("a=é"), {}, "unsupported_media_type: The form is not valid UTF-8."],
  ["percent bytes in Latin-1", Buffer.from("a=%E9"), {}, "unsupported_media_type: The form is not valid UTF-8."],
  [
    "percent bytes in a set that is named",
    Buffer.from("a=%E9"),
    { "content-type": `${FORM}; charset=iso-8859-1` },
    'unsupported_media_type: Send the form in UTF-8, not in "iso-8859-1".',
  ],
  [
    "UTF-16",
    Buffer.from("a=b", "utf16le"),
    { "content-type": `${FORM}; charset=utf-16le` },
    'unsupported_media_type: Send the form in UTF-8, not in "utf-16le".',
  ],
  [
    "two codings",
    Buffer.from("a=b"),
    { "content-encoding": "gzip, br" },
    'unsupported_media_type: Send the body without Content-Encoding, not with "gzip, br".',
  ],
])("a form with %s is read or refused", (_name, body, headers, wanted) => {
  const read = (): unknown => requestForm(body, headers).get("a");
  expect(refusal(read)).toEqual(wanted);
});
