import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { createRedactor } from "./audit.ts";

const OWN = ["open sesame 7", 'pAss/wörd=+"quoted"', "s3"];
const redactor = createRedactor(OWN);
const hide = (value: unknown): unknown => redactor.value(value);

describe("names", () => {
  const secret = [
    "password",
    "user_password",
    "userPassword",
    "PASSWORD",
    "X-Auth-Token",
    "apiKey",
    "api_key",
    "APIKey",
    "api-key",
    "apikey",
    "client_secret",
    "clientSecret",
    "card",
    "cardNumber",
    "card_number",
    "cvv",
    "iban",
    "pin",
    "ssn",
    "Set-Cookie",
    "authorization",
    "dbpassword",
    "refreshtoken",
    "sessionId",
    "otp",
    "secrets",
    "ｐａｓｓｗｏｒｄ",
    "recovery_codes",
  ];
  const plain = [
    "tokenizer_count",
    "cardinality",
    "discard",
    "pinned",
    "shipping",
    "author",
    "secretary",
    "passenger",
    "keyboard",
    "monkey",
    "spinner",
    "order_id",
    "key",
    "sesame",
    "opinion",
    "cooked",
    "compass_heading",
  ];

  covers("audit.row.params-redacted", "the value of a secret name is redacted, regardless of its type", () => {
    for (const name of secret) {
      expect([name, hide({ [name]: "x" })]).toEqual([name, { [name]: "[redacted]" }]);
      expect([name, hide({ [name]: { deep: [1] } })]).toEqual([name, { [name]: "[redacted]" }]);
      expect([name, hide({ a: [{ [name]: 4711 }] })]).toEqual([name, { a: [{ [name]: "[redacted]" }] }]);
    }
  });

  test("only whole words count, so that other names keep their values", () => {
    for (const name of plain) expect([name, hide({ [name]: "x" })]).toEqual([name, { [name]: "x" }]);
  });

  test("booleans, null and counts of tokens are not redacted", () => {
    const value = { password: null, has_password: true, signing_secret: false, max_tokens: 400, tokens: 3 };
    expect(hide(value)).toEqual(value);
  });

  test("parameters that a contract marks as sensitive are redacted too", () => {
    expect(redactor.value({ diagnosis: "flu", note: "x" }, { sensitive: ["diagnosis"] })).toEqual({
      diagnosis: "[redacted]",
      note: "x",
    });
  });

  test("__proto__ is an ordinary name, and two redacted names stay distinct", () => {
    const key = `jn_live_${"a".repeat(49)}`;
    const value = JSON.parse(`{"__proto__":{"password":"x"},"${key}":1,"${key}b":2}`) as unknown;
    expect(JSON.stringify(hide(value))).toBe('{"__proto__":{"password":"[redacted]"},"[redacted]":1,"[redacted] 2":2}');
  });
});

/** Secrets with a recognizable form. They are invented, in the style of documentation, and were never issued. */
const SHAPED = {
  "our key": `jn_live_${"aZ9".repeat(16)}b`,
  "our sandbox key": `jn_test_${"0bY".repeat(16)}c`,
  "a signing secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw0123456789a=",
  "a JSON Web Token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
  "an AWS key id": "AKIAIOSFODNN7EXAMPLE",
  "an AWS secret": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY1".slice(0, 40),
  "a Stripe key": ["sk", "live", "4eC39HqLyjWDarjtT1zdp7dc"].join("_"),
  "a GitHub token": ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_"),
  "a Slack token": ["xoxb", "2345678901", "abcdefGHIJKL"].join("-"),
  "a card": "4111111111111111",
  "a card in groups": "5555 5555 5555 4444",
  "a card with dashes": "3782-822463-10005",
  "an IBAN": "DE89370400440532013000",
  "a private key": "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nx1y2\n-----END RSA PRIVATE KEY-----",
} as const;

describe("forms", () => {
  test.each(Object.entries(SHAPED))("%s is recognized in any place", (_what, secret) => {
    const places = [
      hide(secret),
      hide({ note: `before ${secret} after` }),
      hide([[{ a: `("${secret}")` }]]),
      hide({ json: JSON.stringify({ a: { b: secret } }) }),
      hide({ [`name ${secret}`]: 1 }),
      redactor.text(`${secret}\n${secret}`),
    ];
    for (const shown of places) expect(JSON.stringify(shown)).not.toContain(JSON.stringify(secret).slice(1, -1));
    expect(redactor.text(`before ${secret} after`)).toBe("before [redacted] after");
  });

  test("secrets in other texts are recognized by their name or scheme", () => {
    const cases: readonly (readonly [string, string])[] = [
      ["Authorization: Bearer abc123def", "Authorization: [redacted]"],
      ["use Bearer abc123def now", "use Bearer [redacted] now"],
      ["Cookie: a=1; b=2\nAccept: x", "Cookie: [redacted]\nAccept: x"],
      ["a=1&password=hunter2&b=2", "a=1&password=[redacted]&b=2"],
      ['{"a":1,"api_key":"k 1\\"2","b"', '{"a":1,"api_key":"[redacted]","b"'],
      ['{\\"token\\":\\"abc\\",\\"b\\":1}', '{\\"token\\":\\"[redacted]\\",\\"b\\":1}'],
      ["https://ann:hunter2@example.com/x", "https://ann:[redacted]@example.com/x"],
      ["{base}/api/v1/inbound.php?t=7k2m9qawZk3vQ1tqJ8wL5x", "{base}/api/v1/inbound.php?t=[redacted]"],
      ["http://127.0.0.1:4000/inbox/Zk3vQ1tqJ8wL5x ok", "http://127.0.0.1:4000/inbox/[redacted] ok"],
      ["https://example.com/?token=abc&x=1", "https://example.com/?token=[redacted]&x=1"],
      ["max_tokens: 400, rest", "max_tokens: 400, rest"],
    ];
    for (const [text, shown] of cases) expect(redactor.text(text)).toBe(shown);
  });

  test("card numbers are redacted as numbers too, and other numbers are kept", () => {
    expect(hide([4_111_111_111_111_111, 1_763_750_400_000, 12.5, -0, 4_111_111_111_111_112])).toEqual([
      "[redacted]",
      1_763_750_400_000,
      12.5,
      -0,
      4_111_111_111_111_112,
    ]);
  });

  test("ids, hashes, addresses and words are kept", () => {
    const value = {
      id: "evt_7k2m9qaw01m7w4q17jeay9df1b7sqp908g",
      uuid: "01a1ff97-9766-713c-853c-0724d8321d45",
      sha256: "9f2c1f0b7d5b5a2f4f0d3f8a6f6d2c5b8e1a7c4d9b0e3f6a2d5c8b1e4f7a0d3c",
      sha1: "2fd4e1c67a2d28fced849ee1bb76e7391b93eb12",
      email: "ann.moreau@example.com",
      at: "2026-11-21T19:31:27.206Z",
      phone: "+49 30 901820",
      text: "Please refund the basic plan: the customer is unhappy = sad.",
    };
    expect(hide(value)).toEqual(value);
  });
});

describe("given secrets", () => {
  test("are redacted as they are and in their common encodings", () => {
    for (const secret of OWN.slice(0, 2)) {
      const bytes = Buffer.from(secret);
      for (const form of [secret, encodeURIComponent(secret), bytes.toString("base64"), bytes.toString("base64url")]) {
        expect(redactor.text(`x ${form} y`)).not.toContain(form);
        expect(JSON.stringify(hide({ inner: JSON.stringify({ form }) }))).not.toContain(form);
      }
    }
    expect(redactor.text("call with k-9 please", { secrets: ["k-9 please"] })).toBe("call with [redacted]");
  });

  test("are redacted as whole values if they are too short to search for", () => {
    expect(hide(["s3", "s3 bucket"])).toEqual(["[redacted]", "s3 bucket"]);
  });

  test("no secret survives, wherever it is planted", () => {
    const secrets = [...OWN.slice(0, 2), ...Object.values(SHAPED)];
    const around = fc.string({ unit: "grapheme", maxLength: 30 });
    // A secret that touches other word characters is not a word of its own, so that these separate it.
    const gap = fc.constantFrom(" ", "\n", '"', "(", "; ", ", ", "<");
    const planted = fc.tuple(around, gap, fc.constantFrom(...secrets), gap, around).map((parts) => ({
      secret: parts[2],
      text: parts.join(""),
    }));
    const shapes: ((text: string) => unknown)[] = [
      (text) => text,
      (text) => ({ a: [{ b: text }] }),
      (text) => ({ [text]: 1 }),
      (text) => JSON.stringify({ deep: JSON.stringify([text]) }),
      (text) => `${"filler ".repeat(580)}${text}`,
      (text) => [`${"x".repeat(4080)} ${text}`, text],
    ];
    fc.assert(
      fc.property(planted, fc.constantFrom(...shapes), ({ secret, text }, shape) => {
        const shown = JSON.stringify(hide(shape(text)));
        for (const line of secret.split("\n").filter((one) => one.length > 8 && !one.startsWith("-----")))
          expect(shown).not.toContain(JSON.stringify(line).slice(1, -1));
        expect(JSON.stringify(redactor.text(text))).not.toContain(JSON.stringify(secret).slice(1, -1));
      }),
      { numRuns: 500 },
    );
  });
});

describe("bounds", () => {
  test("texts are cut at 4 KiB with a note, without a partial secret", () => {
    const secret = SHAPED["our key"];
    const shown = redactor.text(`${"a ".repeat(2020)}${secret}${" b".repeat(9000)}`);
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(4096);
    expect(shown).toMatch(/\[cut, \d+ characters more\]$/);
    expect(shown).not.toContain(secret.slice(0, 16));
  });

  test("kept data is bounded in depth, members and bytes, and is always valid JSON", () => {
    let deep: unknown = "bottom";
    for (let level = 0; level < 40; level += 1) deep = { deep };
    const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`n${at}`, "é".repeat(3000)]));
    for (const value of [
      deep,
      wide,
      Array.from({ length: 5000 }, () => "x"),
      { s: "\u0001".repeat(9000) },
      "\ud800\0",
    ]) {
      const text = JSON.stringify(hide(value));
      expect(Buffer.byteLength(text)).toBeLessThan(20 * 1024);
      expect(text.isWellFormed()).toBe(true);
    }
    expect(JSON.stringify(hide(deep))).toContain("[too deep]");
    expect(JSON.stringify(hide(wide))).toContain("[cut]");
  });

  test("redacted values are JSON that stays the same when it is redacted again", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const once = JSON.parse(JSON.stringify(hide(value)));
        expect(JSON.parse(JSON.stringify(hide(once)))).toEqual(once);
      }),
    );
  });

  // Without linear time, one of these takes longer than the timeout of a test.
  test.each([
    ["eyJ".repeat(350_000)],
    ["://".repeat(350_000)],
    ["a:".repeat(500_000)],
    ["password=".repeat(110_000)],
    ["4 ".repeat(500_000)],
    ["Bearer ".repeat(150_000)],
    ["-----BEGIN PRIVATE KEY-----".repeat(40_000)],
    ['{"a":'.repeat(200_000)],
    ["whsec_".repeat(170_000)],
    ["\\".repeat(1_000_000)],
    [`"${'\\"'.repeat(500_000)}`],
    ["open sesame ".repeat(80_000)],
  ])("hostile input is read in linear time: %.12s…", (text) => {
    const hostile = {
      text,
      list: Array.from({ length: 400 }, () => text.slice(0, 12_000)),
      json: JSON.stringify({ text }),
    };
    expect(JSON.stringify(hide(hostile)).length).toBeLessThan(20 * 1024);
  });
});
