import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hexMac, makeSource } from "../../testing/inbound.ts";
import type { TestSource } from "../../testing/inbound.ts";
import { sendBytes, sendRaw } from "../../testing/raw-http.ts";
import type { RawAnswer } from "../../testing/raw-http.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";
import { senders } from "./senders.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => {
  await service.close();
});

const SECRET = "example-only-secret-0001";
const ECHO = {
  method: "GET",
  when: { query: ["challenge"] },
  signed: false,
  answer: { status: 200, content_type: "text/plain", body: "{query:challenge}" },
};
const PERMISSION = {
  method: "OPTIONS",
  when: { header: ["WebHook-Request-Origin"] },
  signed: false,
  answer: {
    status: 200,
    content_type: "text/plain",
    body: "",
    headers: {
      "WebHook-Allowed-Origin": "{header:WebHook-Request-Origin}",
      "WebHook-Allowed-Rate": "{header:WebHook-Request-Rate}",
    },
  },
};

async function ask(
  source: TestSource,
  method: string,
  more: Partial<{ query: string; headers: Record<string, string>; body: string }> = {},
): Promise<RawAnswer> {
  const { query = "", headers = {}, body } = more;
  return await sendRaw(service.baseUrl, {
    method,
    path: source.target + query,
    headers,
    ...(body === undefined ? {} : { body }),
  });
}

describe("handshakes of a source", () => {
  test("a GET is answered, a HEAD as the GET, and both fire nothing", async () => {
    const source = await makeSource(service, { handshakes: [ECHO] });
    expect(source.shown["handshakes"]).toEqual([ECHO]);
    const get = await ask(source, "GET", { query: "&challenge=a%20b" });
    expect([get.status, get.text]).toEqual([200, "a b"]);
    const head = await ask(source, "HEAD", { query: "&challenge=a%20b" });
    expect([head.status, head.text, head.headers["content-length"], head.headers["content-type"]]).toEqual([
      200,
      "",
      "3",
      get.headers["content-type"],
    ]);
    expect((await ask(source, "HEAD")).status).toBe(405);
    expect(await source.receipts()).toMatchObject([
      { status: "ok", reason_code: "handshake", event_id: null },
      { status: "ok", reason_code: "handshake", event_id: null },
    ]);
  });

  test("a handshake of HEAD answers GET too", async () => {
    const checked = { ...ECHO, method: "HEAD", when: {}, answer: { ...ECHO.answer, body: "" } };
    const source = await makeSource(service, { handshakes: [checked] });
    expect([(await ask(source, "HEAD")).status, (await ask(source, "GET")).status]).toEqual([200, 200]);
  });

  test("an OPTIONS gets its permission, and the callback is not visited", async () => {
    const source = await makeSource(service, { handshakes: [PERMISSION] });
    const asked = {
      "WebHook-Request-Origin": "eventemitter.example.com",
      "WebHook-Request-Rate": "120",
      "WebHook-Request-Callback": `${service.baseUrl}/inbox/none`,
    };
    const answer = await ask(source, "OPTIONS", { headers: asked });
    expect([answer.status, answer.text, answer.headers]).toMatchObject([
      200,
      "",
      { allow: "POST", "webhook-allowed-origin": "eventemitter.example.com", "webhook-allowed-rate": "120" },
    ]);
    const without = await ask(source, "OPTIONS", { headers: { "WebHook-Request-Origin": "a.example" } });
    expect([without.status, without.headers["webhook-allowed-rate"]]).toEqual([200, undefined]);
    expect((await ask(source, "OPTIONS")).status).toBe(405);
    expect((await ask(await makeSource(service), "OPTIONS", { headers: asked })).status).toBe(405);
  });

  test("an unsigned POST is answered before its signature, a signed one after it", async () => {
    const plain = {
      ...ECHO,
      method: "POST",
      when: { body: { "$.challenge": null } },
      answer: { status: 200, content_type: "application/json", body: '{"challenge":"{body:$.challenge}"}' },
    };
    const proven = {
      ...ECHO,
      method: "POST",
      when: { body: { "$[0].type": "check" } },
      signed: true,
      answer: { ...ECHO.answer, body: "{body:$[0].data.code}" },
    };
    const source = await makeSource(service, { handshakes: [plain, proven] });
    const first = await ask(source, "POST", { body: '{"challenge":"a\\"b"}' });
    expect([first.status, first.body]).toEqual([200, { challenge: 'a"b' }]);
    const long = JSON.stringify([{ type: "check", filler: "x".repeat(9000), data: { code: "c-1" } }]);
    expect((await source.send(long)).text).toBe("c-1");
    expect((await ask(source, "POST", { body: long })).status).toBe(401);
    expect((await source.send('[{"type":"else"}]')).body["status"]).toBe("ok");
  });

  test("a change replaces them, null restores the sender's, a disabled source answers none", async () => {
    const source = await makeSource(service, { sender: "dropbox", secret: SECRET });
    const change = async (body: object): Promise<unknown> =>
      (await service.api("PATCH", `/v1/inbound-endpoints/${source.id}`, body)).body["handshakes"];
    const statuses = async (): Promise<number[]> => [
      (await ask(source, "GET", { query: "&challenge=a" })).status,
      (await ask(source, "GET", { query: "&other=a" })).status,
    ];
    expect([source.shown["handshakes"], await statuses()]).toEqual([null, [200, 405]]);
    const other = { ...ECHO, when: { query: ["other"] } };
    expect([await change({ handshakes: [other] }), await statuses()]).toEqual([[other], [405, 200]]);
    expect([await change({ handshakes: [] }), await statuses()]).toEqual([[], [405, 405]]);
    expect([await change({ handshakes: null }), await statuses()]).toEqual([null, [200, 405]]);
    expect([await change({ active: false }), await statuses()]).toEqual([null, [405, 405]]);
  });

  test("a signature for strangers uses the secret of the source", async () => {
    const crc = {
      ...ECHO,
      hmac: { of: "{query:challenge}", algorithm: "sha256", encoding: "hex" },
      answer: { ...ECHO.answer, body: "{hmac}" },
    };
    const source = await makeSource(service, { handshakes: [crc], secret: SECRET });
    expect((await ask(source, "GET", { query: "&challenge=abc" })).text).toBe(hexMac(SECRET, "abc"));
    expect((await ask(source, "GET", { query: `&challenge=${encodeURIComponent("{}")}` })).status).toBe(405);
  });

  test("the handshakes of the gallery can be taken over", async () => {
    for (const { handshakes, scheme, key } of senders.filter((one) => one.handshakes.length > 0)) {
      const own = handshakes.map(({ visit: _visit, ...shown }) => shown);
      const secret = scheme.kind === "hmac" ? SECRET : undefined;
      const made = await service.api("POST", "/v1/inbound-endpoints", {
        handshakes: own,
        ...(secret === undefined ? {} : { secret }),
      });
      expect([key, made.status, made.body["handshakes"]]).toEqual([key, 201, own]);
    }
    const listed = (await service.api("GET", "/v1/senders?limit=100")).body["data"];
    expect(listed.find((one: { key: string }) => one.key === "dropbox").handshakes).toEqual([ECHO]);
  });
});

describe("a handshake is refused when it is saved", () => {
  const answer = ECHO.answer;
  const named = (headers: Record<string, string>): object => ({ ...ECHO, answer: { ...answer, headers } });
  test.each([
    ["a POST without a condition", { ...ECHO, method: "POST", when: {} }, "/0/when"],
    ["a signed GET", { ...ECHO, signed: true }, "/0/signed"],
    ["the body of a GET", { ...ECHO, when: { body: { "$.a": null } } }, "/0/when/body"],
    ["the token of the URL as a condition", { ...ECHO, when: { query: ["t"] } }, "/0/when/query"],
    ["a list of strangers", { ...ECHO, method: "POST", when: { body: { "$[0].a": 1 } } }, "/0/when/body"],
    ["a path of several values", { ...ECHO, method: "POST", when: { body: { "$..a": 1 } } }, "/0/when/body"],
    ["an object as a value", { ...ECHO, method: "POST", when: { body: { "$.a": {} } } }, "/0/when/body"],
    ["a long value", { ...ECHO, method: "POST", when: { body: { "$.a": "x".repeat(201) } } }, "/0/when/body"],
    ["a cookie in the answer", { ...ECHO, answer: { ...answer, body: "{header:Cookie}" } }, "/0/answer/body"],
    ["a key in the answer", { ...ECHO, answer: { ...answer, body: "{header:authorization}" } }, "/0/answer/body"],
    ["the token of the URL in the answer", { ...ECHO, answer: { ...answer, body: "{query:t}" } }, "/0/answer/body"],
    ["the URL in the answer", { ...ECHO, answer: { ...answer, body: "{url}" } }, "/0/answer/body"],
    ["the whole body in the answer", { ...ECHO, answer: { ...answer, body: "{body}" } }, "/0/answer/body"],
    ["too many values", { ...ECHO, answer: { ...answer, body: "{query:a}".repeat(11) } }, "/0/answer/body"],
    ["a signature that is not declared", { ...ECHO, answer: { ...answer, body: "{hmac}" } }, "/0/answer/body"],
    [
      "values beside the strings of JSON",
      { ...ECHO, answer: { ...answer, content_type: "application/json", body: '{"a":{query:a}}' } },
      "/0/answer/body",
    ],
    ["a body with 204", { ...ECHO, answer: { ...answer, status: 204 } }, "/0/answer/body"],
    ["cookies to set", named({ "Set-Cookie": "a=b" }), "/0/answer/headers/Set-Cookie"],
    [
      "other sites' access",
      named({ "Access-Control-Allow-Origin": "*" }),
      "/0/answer/headers/Access-Control-Allow-Origin",
    ],
    [
      "a line break in a header",
      named({ "WebHook-Allowed-Origin": "a\r\nSet-Cookie: b=c" }),
      "/0/answer/headers/WebHook-Allowed-Origin",
    ],
    [
      "a text that is signed with more",
      {
        ...ECHO,
        hmac: { of: "x{query:challenge}", algorithm: "sha256", encoding: "hex" },
        answer: { ...answer, body: "{hmac}" },
      },
      "/0/hmac/of",
    ],
    [
      "a signature without use",
      { ...ECHO, hmac: { of: "{query:challenge}", algorithm: "sha256", encoding: "hex" } },
      "/0/hmac",
    ],
  ])("%s", async (_name, handshake, pointer) => {
    const made = await service.api("POST", "/v1/inbound-endpoints", { handshakes: [handshake] });
    expect([made.status, made.body["errors"]?.[0]?.pointer]).toEqual([422, `/handshakes${pointer}`]);
  });

  test("a signature for strangers with a scheme that does not sign the whole body", async () => {
    const crc = {
      ...ECHO,
      hmac: { of: "{query:challenge}", algorithm: "sha256", encoding: "hex" },
      answer: { ...answer, body: "{hmac}" },
    };
    const basic = { scheme: { kind: "basic" }, secret: "user:password" };
    const both = await service.api("POST", "/v1/inbound-endpoints", { ...basic, handshakes: [crc] });
    expect([both.status, both.body["errors"][0].pointer]).toEqual([422, "/handshakes/0/hmac"]);
    for (const [first, second] of [
      [basic, { handshakes: [crc] }],
      [{ handshakes: [crc], secret: "user:password" }, { scheme: basic.scheme }],
    ]) {
      const source = await makeSource(service, first);
      expect((await service.api("PATCH", `/v1/inbound-endpoints/${source.id}`, second)).status).toBe(422);
    }
  });

  test("unknown members, an address to visit and more than ten of them", async () => {
    for (const handshakes of [
      [{ ...ECHO, visit: "{query:a}" }],
      [{ ...ECHO, extra: 1 }],
      Array.from({ length: 11 }, () => ECHO),
    ])
      expect((await service.api("POST", "/v1/inbound-endpoints", { handshakes })).status).toBe(422);
  });
});

describe("a hostile request to a handshake", () => {
  test("cannot put a line, a control character or a long text into a header", async () => {
    const echo = {
      ...PERMISSION,
      when: {},
      answer: { ...PERMISSION.answer, headers: { "WebHook-Allowed-Origin": "{query:o}" } },
    };
    const source = await makeSource(service, { handshakes: [echo] });
    for (const value of ["a\r\nSet-Cookie: b=c", "a\nb", "\u0000", "é", "\u{1F600}", "x".repeat(257), " ", ""]) {
      const answer = await ask(source, "OPTIONS", { query: `&o=${encodeURIComponent(value)}` });
      expect([value, answer.status, answer.headers["webhook-allowed-origin"], answer.headers["set-cookie"]]).toEqual([
        value,
        200,
        undefined,
        undefined,
      ]);
    }
    expect((await ask(source, "OPTIONS", { query: "&o=fine" })).headers["webhook-allowed-origin"]).toBe("fine");
  });

  test("gets its value back as a short text that no browser runs", async () => {
    const source = await makeSource(service, { handshakes: [ECHO] });
    const script = "<script>alert(1)</script>";
    const answer = await ask(source, "GET", { query: `&challenge=${encodeURIComponent(script)}` });
    expect([answer.text, answer.headers["content-type"], answer.headers["x-content-type-options"]]).toEqual([
      script,
      "text/plain; charset=utf-8",
      "nosniff",
    ]);
    expect((await ask(source, "GET", { query: `&challenge=${"a".repeat(9000)}` })).text).toHaveLength(2048);
  });

  test("leaves the connection usable, with a body, twice the same header, or chunks", async () => {
    const source = await makeSource(service, { handshakes: [PERMISSION, ECHO] });
    const line = (method: string, rest: string): string =>
      `${method} ${source.target}&challenge=x HTTP/1.1\r\nHost: x\r\n${rest}`;
    const text = await sendBytes(
      service.baseUrl,
      line(
        "OPTIONS",
        "WebHook-Request-Origin: a.example\r\nWebHook-Request-Origin: b.example\r\nContent-Length: 2\r\n\r\n{}",
      ) +
        line("OPTIONS", "WebHook-Request-Origin: c.example\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n") +
        line("HEAD", "\r\n") +
        line("GET", "Connection: close\r\n\r\n"),
    );
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(Array.from({ length: 4 }, () => "HTTP/1.1 200"));
    expect(text.match(/webhook-allowed-origin: .*/gi)).toEqual([
      "webhook-allowed-origin: a.example, b.example",
      "webhook-allowed-origin: c.example",
    ]);
    expect(text.split("\r\n\r\n").at(-1)).toBe("x");
  });

  test("of another workspace, of another environment or of no source is refused", async () => {
    const source = await makeSource(service, { handshakes: [ECHO, PERMISSION] });
    for (const method of ["GET", "HEAD", "OPTIONS"]) {
      const path = `${source.target.replace(/.$/, (last) => (last === "0" ? "1" : "0"))}&challenge=1`;
      const answer = await sendRaw(service.baseUrl, { method, path, headers: { "WebHook-Request-Origin": "a" } });
      expect([method, answer.status]).toEqual([method, 404]);
    }
  });
});

test("what is signed for strangers is not the signature of an event", async () => {
  const crc = {
    ...ECHO,
    hmac: { of: "{query:challenge}", algorithm: "sha256", encoding: "base64" },
    answer: { ...ECHO.answer, body: "{hmac}" },
  };
  const scheme = { kind: "hmac", algorithm: "sha256", encoding: "base64", header: "X-Sig" };
  const source = await makeSource(service, { handshakes: [crc], scheme, secret: SECRET });
  const signed = (await ask(source, "GET", { query: "&challenge=abc" })).text;
  expect(signed).toBe(createHmac("sha256", SECRET).update("abc").digest("base64"));
  const forge = async (): Promise<number> =>
    (await source.sendAs({ "X-Sig": signed, "Content-Type": "text/plain" }, "abc")).status;
  expect(await forge()).toBe(401);
  // A signature that was kept counts as little after the handshake is gone.
  await service.api("PATCH", `/v1/inbound-endpoints/${source.id}`, { handshakes: [] });
  expect(await forge()).toBe(401);
  await service.api("PATCH", `/v1/inbound-endpoints/${source.id}`, { handshakes: null });
  expect(await forge()).toBe(401);
});
