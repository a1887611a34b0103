import { readFileSync } from "node:fs";
import {
  brotliCompressSync,
  constants,
  createZstdCompress,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";
import { buffer } from "node:stream/consumers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isRead, readBody } from "./body.ts";
import type { ReadBody } from "./body.ts";

interface Vector {
  readonly made_by: string;
  readonly body: string;
}

/** Bodies that others made: an HTTP library or codec of another language or package, named in each. */
function vectors<Of extends Vector>(name: string): (Of & { readonly bytes: Buffer })[] {
  const all = JSON.parse(readFileSync(new URL(`testing/${name}.vectors.json`, import.meta.url), "utf8")) as Of[];
  return all.map((one) => ({ ...one, bytes: Buffer.from(one.body, "base64") }));
}

async function read(
  type: string | undefined,
  body: string | Uint8Array,
  { coding, charset = null }: { readonly coding?: string; readonly charset?: string | null } = {},
): Promise<ReadBody> {
  const headers: Record<string, string | undefined> = { "content-type": type, "content-encoding": coding };
  return await readBody({ body: Buffer.from(body), header: (name) => headers[name], charset });
}

async function valueOf(...given: Parameters<typeof read>): Promise<unknown> {
  const found = await read(...given);
  return isRead(found) ? found.value : found.reason;
}

async function reasonOf(...given: Parameters<typeof read>): Promise<string> {
  const found = await read(...given);
  return isRead(found) ? `read as ${found.text}` : found.reason;
}

const FORM = "application/x-www-form-urlencoded";
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");
const marked = (text: string): Buffer => Buffer.concat([BOM, Buffer.from(text)]);
const utf16 = (text: string): Buffer => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);

describe("multipart forms of libraries", () => {
  const forms = vectors<Vector & { readonly content_type: string; readonly value: unknown }>("multipart");
  test.each(forms.map((form, at) => [form.made_by, at, form] as const))(
    "one of %s has all of its fields and files (%#)",
    async (_by, _at, { content_type: type, bytes, value }) => {
      expect(await valueOf(type, bytes)).toEqual(value);
      const quoted = type.replace(/boundary="?([^";]+)"?/, 'boundary="$1"');
      expect(await valueOf(quoted, bytes)).toEqual(value);
    },
  );
});

describe("character sets", () => {
  const texts = vectors<Vector & { readonly charset: string; readonly text: string }>("charset");
  test.each(texts.map((text) => [text.charset, text] as const))(
    "a text in %s keeps every character, in JSON, XML, forms and parts",
    async (charset, { bytes, text }) => {
      expect(await valueOf(`application/json; charset=${charset}`, bytes)).toEqual({ event: "a.b", x: text });
      expect(await valueOf(`application/json; charset="${charset.toUpperCase()}"`, bytes)).toMatchObject({ x: text });
      if (charset.startsWith("utf-16")) return;
      const json = bytes.toString("latin1");
      const inner = latin1(json.slice(json.indexOf('"x":"') + 5, -2));
      const percent = `x=${[...inner].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")}`;
      const part = (type: string): Buffer =>
        Buffer.concat([
          latin1(`--b\r\nContent-Disposition: form-data; name="x"\r\n${type}\r\n`),
          inner,
          latin1("\r\n--b--"),
        ]);
      expect([
        await valueOf(`${FORM};charset=${charset}`, percent),
        await valueOf(FORM, percent, { charset }),
        await valueOf(FORM, `${percent}&_charset_=${charset}`),
        await valueOf("multipart/form-data; boundary=b", part(`Content-Type: text/plain; charset=${charset}\r\n`)),
        await valueOf("multipart/form-data; boundary=b", part(""), { charset }),
      ]).toMatchObject(Array.from({ length: 5 }, () => ({ x: text })));
      if (/[<>&]/.test(json) || charset === "iso-2022-jp") return;
      const xml = Buffer.concat([latin1(`<?xml version='1.0' encoding='${charset}'?><a>`), inner, latin1("</a>")]);
      expect(await valueOf("text/xml", xml)).toEqual({ a: text });
    },
  );

  test.each<[string, string | undefined, Uint8Array, RegExp]>([
    ["an unknown one", "application/json; charset=x-none", Buffer.from('{"a":1}'), /"x-none" is not known/],
    ["UTF-7", "text/plain; charset=utf-7", Buffer.from("+AGE-"), /utf-7/],
    ["UTF-32", undefined, Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]), /utf-32/],
    ["bytes that are not UTF-8", undefined, latin1('{"x":"Zo\u00EB"}'), /not valid UTF-8 at byte 8/],
    ["a text that ends within a character", "text/plain", Buffer.from("Zo\u00EB").subarray(0, 3), /UTF-8/],
    ["a form that is not UTF-8", FORM, Buffer.from("a=1&x=Zo%EB"), /not valid utf-8 at byte 6/],
    ["half a character of Shift_JIS", "text/plain; charset=shift_jis", Buffer.from([0x82]), /not valid shift_jis/],
    ["half a surrogate pair", "text/plain; charset=utf-16le", Buffer.from([0x61, 0, 0, 0xd8]), /not valid utf-16le/],
    ["an odd number of bytes", "text/plain; charset=utf-16le", Buffer.from([0x61, 0, 0x62]), /not valid utf-16le/],
    ["a mark of another", "text/plain; charset=latin1", utf16("abc"), /mark of utf-16le, and names windows-1252/],
    ["a mark of another", "text/plain; charset=utf-8", utf16("abc"), /mark of utf-16le, and names utf-8/],
    ["a mark in front of what is both", "text/plain; charset=latin1", marked("Zo\u00EB"), /mark of utf-8, and names/],
    [
      "a part of another",
      "multipart/form-data; boundary=b",
      latin1('--b\r\nContent-Disposition: form-data; name="x"\r\n\r\nZo\u00EB\r\n--b--'),
      /the field "x" is not valid utf-8/,
    ],
    ["a form in UTF-16", `${FORM}; charset=utf-16`, Buffer.from("a=1"), /not known in forms/],
  ])("%s is a reason, and changes no character (%#)", async (_name, type, body, reason) => {
    expect(await reasonOf(type, body)).toMatch(reason);
  });

  test("a replacement character that the sender wrote stays", async () => {
    expect(await valueOf("text/plain", "a\uFFFDb")).toBe("a\uFFFDb");
    expect(await valueOf(FORM, "x=%EF%BF%BD")).toEqual({ x: "\uFFFD" });
  });

  test("the header comes before the XML declaration, the mark and the source's", async () => {
    const declared = latin1("<?xml version='1.0' encoding='koi8-r'?><a>\u00EB</a>");
    expect(await valueOf("text/xml; charset=latin1", declared)).toEqual({ a: "\u00EB" });
    expect(await valueOf("text/xml", declared, { charset: "latin1" })).toEqual({ a: "\u041A" });
    expect(await valueOf(undefined, utf16('{"x":"\u00EB"}'), { charset: "latin1" })).toEqual({ x: "\u00EB" });
    expect(await valueOf(FORM, "x=Zo%EB+%80", { charset: "windows-1252" })).toEqual({ x: "Zo\u00EB \u20AC" });
    expect(await valueOf(`${FORM}; charset=utf-8`, "x=%C3%AB", { charset: "windows-1252" })).toEqual({ x: "\u00EB" });
  });

  test("UTF-16 is read by its mark, its declaration or the header", async () => {
    const big = utf16('{"x":"\u00EB"}').swap16();
    expect(await valueOf("application/json", big)).toEqual({ x: "\u00EB" });
    expect(await valueOf("application/json; charset=utf-16", big)).toEqual({ x: "\u00EB" });
    expect(await valueOf("application/json; charset=UTF-16", big.subarray(2))).toEqual({ x: "\u00EB" });
    const xml = '<?xml version="1.0" encoding="utf-16"?><a>\u00EB</a>';
    expect(await valueOf("text/xml", utf16(xml))).toEqual({ a: "\u00EB" });
    expect(await valueOf("text/xml", utf16(xml).subarray(2))).toEqual({ a: "\u00EB" });
    // Programs that write XML into a text say so, and send it as UTF-8.
    expect(await valueOf("text/xml", xml)).toEqual({ a: "\u00EB" });
  });
});

describe("what a body is", () => {
  test.each<[string | undefined, string | Buffer, unknown]>([
    [undefined, '{"a":1}', { a: 1 }],
    ["", ' \n["a"]', ["a"]],
    ["text/plain", '{"a":1}', { a: 1 }],
    [FORM, '{"a":1}', { a: 1 }],
    ["nonsense", '{"a":1}', { a: 1 }],
    ["application/json,application/json", '{"a":1}', { a: 1 }],
    ["application/json;charset=utf-8, text/plain;charset=latin1", '{"a":"\u00EB"}', { a: "\u00EB" }],
    ["application/x-www-form-urlencoded, text/plain", "a=1", { a: "1" }],
    ["application/json; charset", '{"a":1}', { a: 1 }],
    ["application/json; charset='utf-8'", '{"a":1}', { a: 1 }],
    ["application/json", marked('{"a":1}'), { a: 1 }],
    ["application/vnd.api+json", "7", 7],
    [undefined, "<a>1</a>", { a: "1" }],
    ["application/octet-stream", "<a>1</a>", { a: "1" }],
    ["text/html", "<a>1</a>", "<a>1</a>"],
    ["text/plain", "<a>1</a>", "<a>1</a>"],
    ["application/soap+xml", marked("<a>1</a>"), { a: "1" }],
    ["text/csv", "a;b\n1;2", "a;b\n1;2"],
    [undefined, "disk is full", "disk is full"],
    ["text/plain", marked("disk is full"), "disk is full"],
    [FORM, marked("a=1"), { a: "1" }],
    [FORM, "a&b=&=c&&d=1=2&e=%zz+%", { a: "", b: "", "": "c", d: "1=2", e: "%zz %" }],
    [undefined, "", null],
    ["application/json", "", null],
    ["multipart/form-data; boundary=b", "", null],
  ])("a body of the type %j is read (%#)", async (type, body, value) => {
    expect(await valueOf(type, body)).toEqual(value);
  });

  test("a repeated name has its last value, once, with all digits, and a warning", async () => {
    const body = '{"level":"WARNING","n":1.10,"a":[{"b":1,"\\u0062":12345678901234567890}],"level":"Warning"}';
    const found = await read("application/json", body);
    expect(found).toMatchObject({
      text: '{"level":"Warning","n":1.10,"a":[{"b":12345678901234567890}]}',
      warnings: [
        { field: "payload", message: expect.stringMatching(/^The name "(b|level)" is repeated .*last value/) },
      ],
    });
  });

  test("forms are read as URLSearchParams reads them", async () => {
    const text = fc.array(fc.constantFrom("a", "=", "&", "+", "%", "2", "C3", "%C3%AB", "%26", "\u00EB"), {
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(text, async (parts) => {
        const body = parts.join("");
        const plain = new URLSearchParams(body);
        const given = [...plain].flat().join("").includes("\uFFFD");
        if (given || body === "") return;
        const expected: Record<string, unknown> = {};
        for (const name of plain.keys()) {
          const all = plain.getAll(name);
          expected[name] = all.length === 1 ? all[0] : all;
        }
        expect(await valueOf(FORM, body)).toEqual(expected);
      }),
    );
  });

  test("SendGrid's list of character sets is that of its fields", async () => {
    const field = (name: string, value: string): string =>
      `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const body = latin1(
      `${field("html", "Zo\u00EB")}${field("subject", "\u00EB")}${field("charsets", '{"html":"iso-8859-1","subject":"KOI8-R"}')}--b--`,
    );
    expect(await valueOf("multipart/form-data; boundary=b", body)).toMatchObject({
      html: "Zo\u00EB",
      subject: "\u041A",
    });
  });
});

describe("codings", () => {
  const body = Buffer.from('{"event":"a.b"}');
  const large = Buffer.from(JSON.stringify(Array.from({ length: 40_000 }, (_one, at) => at)));
  const ENCODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
    gzip: gzipSync,
    "x-gzip": gzipSync,
    deflate: deflateSync,
    br: brotliCompressSync,
    zstd: zstdCompressSync,
  };

  test.each(Object.entries(ENCODERS))(
    "%s is undone, and a body that is cut or continued is not",
    async (coding, make) => {
      const coded = make(body);
      expect(await read(undefined, coded, { coding })).toMatchObject({
        text: body.toString(),
        as: { coding, kind: "json" },
      });
      expect(await valueOf(undefined, make(large), { coding: coding.toUpperCase() })).toHaveLength(40_000);
      expect(await valueOf(undefined, make(coded), { coding: `identity, ${coding}, ${coding}` })).toEqual({
        event: "a.b",
      });
      for (const broken of [
        coded.subarray(0, -1),
        coded.subarray(0, 3),
        body,
        Buffer.concat([coded, Buffer.from("x")]),
      ])
        expect(await reasonOf(undefined, broken, { coding })).toMatch(/not complete and valid|not valid JSON/);
      expect(await reasonOf(undefined, make(coded), { coding })).toMatch(/UTF-8|not valid JSON|^read as "/);
    },
  );

  test("deflate without its wrapper is undone, as half of the senders write it", async () => {
    expect(await valueOf(undefined, deflateRawSync(body), { coding: "deflate" })).toEqual({ event: "a.b" });
  });

  test.each(Object.entries(ENCODERS))(
    "a bomb of %s ends before it is inflated, also within another one",
    async (coding, make) => {
      const bomb = make(Buffer.alloc(20_000_000, 0x20));
      const before = process.memoryUsage.rss();
      expect(await reasonOf(undefined, bomb, { coding })).toMatch(/larger than 1 MiB/);
      expect(await reasonOf(undefined, make(bomb), { coding: `${coding}, ${coding}` })).toMatch(/larger than 1 MiB/);
      expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 * 1024);
    },
  );

  test("a body that grows too much is refused, a list of equal elements not", async () => {
    expect(await reasonOf(undefined, brotliCompressSync(Buffer.alloc(1_000_000, 0x20)), { coding: "br" })).toMatch(
      /1000 times/,
    );
    const equal = Buffer.from(
      JSON.stringify(Array.from({ length: 1000 }, () => ({ event: "delivered", email: "a@example.com" }))),
    );
    expect(await valueOf(undefined, gzipSync(equal, { level: 9 }), { coding: "gzip" })).toHaveLength(1000);
  });

  test("a window of more than 8 MiB is refused (RFC 9659)", async () => {
    const stream = createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: 27 } });
    stream.end(body);
    expect(await reasonOf(undefined, await buffer(stream), { coding: "zstd" })).toMatch(/not complete and valid zstd/);
  });

  test.each(["compress", "utf-8", "gzip, aes128gcm", "gzip, gzip, gzip", '"gzip"', "\u00EB"])(
    "the coding %j is not known",
    async (coding) => {
      expect(await read(undefined, body, { coding })).toMatchObject({
        isUnknownCoding: true,
        reason: expect.stringContaining("not known"),
      });
    },
  );
});

describe("hostile multipart forms", () => {
  const MULTIPART = "multipart/form-data; boundary=b";
  const part = (name: string, value = "1"): string =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  test.each<[string, string, RegExp]>([
    ["10 000 parts", `${part("a").repeat(10_000)}--b--`, /too many/],
    ["a part without a name", "--b\r\nA: b\r\n\r\n1\r\n--b--", /no name/],
    ["no end", part("a"), /ends too soon/],
    ["no end of the last line", `${part("a")}--b`, /ends too soon/],
    ["headers without an end", `--b\r\n${"A: b\r\n".repeat(50)}`, /no end of its headers/],
    ["endless headers", `--b\r\n${"A: b\r\n".repeat(50_000)}\r\n\r\n--b--`, /too large headers/],
    ["another boundary", part("a").replaceAll("--b", "--c"), /does not occur/],
  ])("%s is a reason", async (_name, body, reason) => {
    expect(await reasonOf(MULTIPART, body)).toMatch(reason);
  });

  test("a boundary that is only the beginning of a line is content", async () => {
    const body = `preamble\r\n${part("a", "x\r\n--bc\r\n--b c\r\ny--b\r\n")}--b \t\r\nContent-Disposition: form-data; name=c\r\n\r\n\r\n--b--\r\nepilogue\r\n${part("d")}`;
    expect(await valueOf(MULTIPART, body)).toEqual({ a: "x\r\n--bc\r\n--b c\r\ny--b\r\n", c: "" });
  });

  test("a form whose every byte is escaped takes a few milliseconds", async () => {
    const escaped = `--b\r\nContent-Disposition: form-data; name="${"%22".repeat(5000)}"\r\n\r\n1\r\n`.repeat(60);
    const quoted = `--b\r\nContent-Disposition: form-data; name=q\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n`;
    expect(await valueOf(MULTIPART, `${quoted}1+1 =3D=\r\n 2=C3=AB%20=zz\r\n--b--`)).toEqual({
      q: "1+1 = 2\u00EB%20=zz",
    });
    for (const body of [`${escaped}--b--`, `${quoted}${"=41".repeat(300_000)}\r\n--b--`]) {
      const costs: number[] = [];
      for (let round = 0; round < 5; round += 1) {
        const from = process.threadCpuUsage();
        expect(isRead(await read(MULTIPART, body))).toBe(true);
        costs.push(process.threadCpuUsage(from).user / 1000);
      }
      // A pattern with a function for each byte took 100 ms.
      expect(Math.min(...costs)).toBeLessThan(40);
    }
  });

  test("parts with JSON, names of RFC 5987 and names with commas are read", async () => {
    const body =
      `--b\nContent-Disposition: form-data;\n name=a\nContent-Type: application/json\n\n{"n":1.10}\n` +
      `--b\nContent-Disposition: form-data; name=f; filename*=UTF-8''Zo%C3%AB%20.pdf\n\n1\n` +
      `--b\nContent-Disposition: form-data; name=g; filename=a,b.txt\n\n1\n--b--`;
    expect(await read(MULTIPART, body)).toMatchObject({
      text: '{"a":{"n":1.10},"f":{"file_name":"Zo\u00EB .pdf"},"g":{"file_name":"a,b.txt"}}',
    });
  });
});

test("no bytes and no headers make the step throw", async () => {
  const type = fc.oneof(
    fc.string({ unit: "binary-ascii" }),
    fc
      .tuple(
        fc.constantFrom(FORM, "multipart/form-data; boundary=b", "text/xml", "application/json", "text/plain", ""),
        fc.constantFrom("", "; charset=utf-16", ";charset=gb18030", ";charset=iso-2022-jp", ", x", ';charset="'),
      )
      .map((parts) => parts.join("")),
  );
  const snippet = fc.constantFrom(
    "--b",
    "\r\n",
    "\n",
    "--",
    'name="a"',
    "Content-Disposition: form-data;",
    "<a>",
    "<?xml ",
    "%E",
    "&",
    "=",
    "{",
    '"',
    "\u00EB",
    "\u0000",
  );
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.array(snippet, { maxLength: 40 }).map((parts) => Buffer.from(parts.join(""), "latin1")),
  );
  const coding = fc.constantFrom(undefined, "gzip", "deflate", "br", "zstd", "deflate, br");
  const property = fc.asyncProperty(type, bytes, coding, async (sentType, body, sentCoding) => {
    const found = await read(sentType, body, sentCoding === undefined ? {} : { coding: sentCoding });
    expect(typeof (isRead(found) ? found.text : found.reason)).toBe("string");
  });
  await fc.assert(property, { numRuns: 1000 });
});
