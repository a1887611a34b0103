import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isRead, readBody } from "./body.ts";

const FORM = "application/x-www-form-urlencoded";
const MULTIPART = "multipart/form-data; boundary=b";
const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");

/** Returns the value of a body, or the reason for which it cannot be read. */
async function valueOf(type: string | undefined, body: string | Uint8Array, charset: string | null = null) {
  const header = (name: string): string | undefined => (name === "content-type" ? type : undefined);
  const found = await readBody({ body: Buffer.from(body), header, charset });
  return isRead(found) ? found.value : found.reason;
}

function part(disposition: string, value: string, headers = ""): string {
  return `--b\r\nContent-Disposition: form-data; ${disposition}\r\n${headers}\r\n${value}\r\n`;
}

describe("the parts of a form are read as libraries write them", () => {
  test.each<[string, string, unknown]>([
    ["name*=UTF-8''Zo%C3%AB", "1", { "Zo\u00EB": "1" }],
    ["name*=iso-8859-1'de'Zo%EB", "1", { "Zo\u00EB": "1" }],
    ["name=f; filename=\"Zo_.txt\"; filename*=UTF-8''Zo%C3%AB.txt", "1", { f: { file_name: "Zo\u00EB.txt" } }],
    ["name=f; filename*=x-none''Zo; filename=Zo.txt", "1", { f: { file_name: "Zo.txt" } }],
    ["name=f; filename*=Zo.txt", "1", { f: { file_name: "Zo.txt" } }],
    ['name=f; filename*0="ab"; filename*1="cd.txt"', "1", { f: { file_name: "abcd.txt" } }],
    ["name=f; filename*0*=utf-8''ab%C3; filename*1*=%AB; filename*2=%.t", "1", { f: { file_name: "ab\u00EB%.t" } }],
    ['name="a"; filename=""', "", { a: { file_name: "" } }],
  ])("a name as %s", async (disposition, value, expected) => {
    expect(await valueOf(MULTIPART, `${part(disposition, value)}--b--`)).toEqual(expected);
  });

  test.each<[string, string, unknown]>([
    ["base64", "Wm/D\r\nqw==", { x: "Zo\u00EB" }],
    ["BASE64 ", "Wm/Dqw==", { x: "Zo\u00EB" }],
    ["base64", "Wm/D*qw==", expect.stringContaining('the field "x" is not valid base64')],
    ["quoted-printable", "Zo=C3=AB=\r\nx =3D", { x: "Zo\u00EBx =" }],
    ["8bit", "Zo\u00EB", { x: "Zo\u00EB" }],
  ])("a part in %s", async (encoding, value, expected) => {
    const body = `${part("name=x", value, `Content-Transfer-Encoding: ${encoding}\r\n`)}--b--`;
    expect(await valueOf(MULTIPART, body)).toEqual(expected);
  });

  test.each([
    'boundary="a b:c"',
    "boundary=a,b",
    'boundary="a,b"',
    "boundary='ab'",
    "boundary=----=_Part_1_2.3; charset=utf-8",
    "charset=utf-8; Boundary=a;",
  ])("a type with %s", async (parameters) => {
    const [, name = ""] = /boundary=(?:"([^"]*)"|'[^']*'|[^;]*)/i.exec(parameters) ?? [];
    const own = name === "" ? (/boundary=([^;]*)/i.exec(parameters)?.[1] ?? "").replaceAll("'", "") : name;
    const body = `preamble\r\n${part("name=x", "1").replace("--b", `--${own}`)}--${own}--\r\nepilogue`;
    expect(await valueOf(`Multipart/Form-Data; ${parameters}`, body)).toEqual({ x: "1" });
  });

  test("several files of one field are a list of their names", async () => {
    const inner = (name: string): string => `--i\r\nContent-Disposition: file; filename="${name}"\r\n\r\n1\r\n`;
    const mixed = `${inner("a.txt")}--i\r\n\r\n2\r\n${inner("c.txt")}--i--`;
    const body = `${part("name=f", mixed, "Content-Type: multipart/mixed; boundary=i\r\n")}${part("name=x", "1")}--b--`;
    expect(await valueOf(MULTIPART, body)).toEqual({
      f: [{ file_name: "a.txt" }, { file_name: null }, { file_name: "c.txt" }],
      x: "1",
    });
  });

  test("no name and no bytes of base64 lose a character", async () => {
    const property = fc.asyncProperty(fc.string({ unit: "grapheme", minLength: 1 }), async (text) => {
      const name = `name*=utf-8''${encodeURIComponent(text).replaceAll("'", "%27")}`;
      const base64 = Buffer.from(text).toString("base64");
      const body = `${part(name, base64, "Content-Transfer-Encoding: base64\r\n")}--b--`;
      expect(await valueOf(MULTIPART, body)).toEqual({ [text]: text.replace(/^\uFEFF/, "") });
    });
    await fc.assert(property);
  });
});

describe("character sets are known by the names that programs give them", () => {
  test.each([
    ["cp932", "shift_jis"],
    ["MS932", "shift_jis"],
    ["Windows-31J", "shift_jis"],
    ["EUC_JP", "euc-jp"],
    ["cp949", "euc-kr"],
    ["cp936", "gbk"],
    ["ISO-8859-1:1987", "windows-1252"],
    ["iso8859_15", "iso-8859-15"],
    ["latin-1", "windows-1252"],
    ["windows1252", "windows-1252"],
    ["UTF_8", "utf-8"],
    ["utf8mb4", "utf-8"],
    ["cp65001", "utf-8"],
    ["KOI8R", "koi8-r"],
    ["'utf-8'", "utf-8"],
    ['"utf-8', "utf-8"],
    ["US-ASCII", "utf-8"],
    ["", "utf-8"],
  ])("%s", async (name, standard) => {
    const header = (): string => `application/json; charset=${name}`;
    const found = await readBody({
      body: Buffer.from('{"a":1}'),
      header: (one) => (one === "content-type" ? header() : undefined),
      charset: null,
    });
    expect([isRead(found), found.as.charset]).toEqual([true, standard]);
  });

  test.each(["ANSI", "cp850", "utf-7", "binary", "euc-tw", "iso-2022-kr"])("not %s", async (name) => {
    expect(await valueOf(`text/plain; charset=${name}`, "a")).toBe(`The character set "${name}" is not known`);
  });

  test("ASCII says nothing about other bytes, which are not changed", async () => {
    const type = "application/json; charset=us-ascii";
    expect(await valueOf(type, '{"x":"Zo\u00EB"}')).toEqual({ x: "Zo\u00EB" });
    expect(await valueOf(type, latin1('{"x":"Zo\u00EB"}'))).toMatch(/not valid UTF-8/);
    expect(await valueOf(type, latin1('{"x":"Zo\u00EB"}'), "latin1")).toEqual({ x: "Zo\u00EB" });
    expect(await valueOf(`${FORM}; charset=ascii`, "x=Zo%C3%AB")).toEqual({ x: "Zo\u00EB" });
    const field = `${part("name=x", "Zo\u00EB", "Content-Type: text/plain; charset=US-ASCII\r\n")}--b--`;
    expect(await valueOf(MULTIPART, field)).toEqual({ x: "Zo\u00EB" });
    expect(await valueOf("text/xml", '<?xml version="1.0" encoding="us-ascii"?><a>\u00EB</a>')).toEqual({
      a: "\u00EB",
    });
  });

  test("JSON in UTF-16 shows the order of its bytes", async () => {
    const little = Buffer.from('[{"x":"\u00EB"}]', "utf16le");
    for (const bytes of [little, Buffer.from(little).swap16()])
      for (const type of [undefined, "application/json", FORM])
        expect(await valueOf(type, bytes)).toEqual([{ x: "\u00EB" }]);
    expect(await valueOf("application/json; charset=utf-8", little)).toMatch(/not valid (?:JSON|UTF-8)/);
  });
});

describe("a body is what it is", () => {
  test.each<[string, string | undefined, string, unknown]>([
    ["lines of JSON", "application/x-ndjson", '{"n":1.10}\r\n{"n":2}\n\n', [{ n: 1.1 }, { n: 2 }]],
    ["one line of JSON", "application/jsonl; charset=utf-8", '{"n":1}\n', { n: 1 }],
    ["JSON texts with separators", "application/json-seq", '\u001E{"n":\n1}\n\u001E{"n":2}\n', [{ n: 1 }, { n: 2 }]],
    ["half a line of JSON", "application/x-ndjson", '{"n":1}\n{"n":', expect.stringContaining("not valid JSON")],
    ["lines that are one list", "application/x-ndjson", "[1\n2]", expect.stringContaining("not valid JSON")],
    ["lines with another type", "application/json", '{"n":1}\n{"n":2}', expect.stringContaining("not valid JSON")],
    ["spaces", "application/json", " \r\n", null],
    ["a mark alone", "application/json", "\uFEFF", null],
    [
      "XML in what is called a form",
      FORM,
      '<?xml version="1.0"?><a b="1">x=1&amp;y</a>',
      { a: { "@b": "1", "#text": "x=1&y" } },
    ],
    ["XML behind an empty line", "text/xml", '\n <?xml version="1.0" encoding="utf-8"?><a>1</a>', { a: "1" }],
    ["XML with CDATA", "text/xml", "<a>x<![CDATA[ <b>&amp; ]]>y</a>", { a: "x <b>&amp; y" }],
    [
      "XML with a document type",
      "text/xml",
      '<!DOCTYPE a SYSTEM "a.dtd"><a>1</a>',
      expect.stringContaining("document type"),
    ],
    ["a suffix of JSON", "application/vnd.x+json; v=1", '{"a":1}', { a: 1 }],
    ["a patch", "application/json-patch+json", '[{"op":"add"}]', [{ op: "add" }]],
    ["a type with an end too many", "text/json;;", '{"a":1}', { a: 1 }],
  ])("%s", async (_name, type, body, expected) => {
    expect(await valueOf(type, body)).toEqual(expected);
  });

  test("XML that names its character set behind an empty line", async () => {
    expect(await valueOf("text/xml", latin1('\n<?xml version="1.0" encoding="iso-8859-1"?><a>\u00EB</a>'))).toEqual({
      a: "\u00EB",
    });
  });
});
