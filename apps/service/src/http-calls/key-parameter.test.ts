import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { putSecret, startHttpCalls } from "../testing/http-calls.ts";
import type { HttpCallTest } from "../testing/http-calls.ts";
import type { Receiver } from "../testing/receiver.ts";
import { freshEvent, ruleOn, runsOf } from "../testing/rules.ts";
import type { TestService } from "../testing/test-service.ts";

/** A secret whose spelling differs in a header, a URL and a form. */
const SECRET = "s3cret key+/&='(é)";
const FORMS = /s3cret/;

let service: TestService;
let receiver: Receiver;
let origin: string;
let tryCall: HttpCallTest["tryCall"];
let close: () => Promise<void>;

beforeAll(async () => {
  ({ service, receiver, origin, tryCall, close } = await startHttpCalls());
  await putSecret(service, "query_key", SECRET);
});
afterEach(() => receiver.status(200));
afterAll(async () => await close());

const AUTH = { type: "api_key", in: "query", name: "api_key", secret_ref: "query_key" };

describe("an API key in the query", () => {
  test.each([
    ["/a", "/a?api_key=[redacted]"],
    ["/b?x=1", "/b?x=1&api_key=[redacted]"],
    ["/c?", "/c?api_key=[redacted]"],
  ])("is added to %s, and shown nowhere", async (path, shown) => {
    receiver.answer((response, request) =>
      response
        .writeHead(302, {
          Location: `/next${request.path}`,
          "X-Echo": `/login?next=${encodeURIComponent(request.path)}`,
        })
        .end(`You called ${request.path} with ${new URL(request.path, origin).searchParams.get("api_key")}`),
    );
    const { body, text } = await tryCall({ method: "GET", url: origin + path, auth: AUTH });
    const sent = new URL(receiver.received.at(-1)?.path ?? "", origin);
    expect(sent.searchParams.get("api_key")).toBe(SECRET);
    expect(body).toMatchObject({ succeeded: false, request: { url: origin + shown } });
    expect(text).not.toMatch(FORMS);
  });

  test("is in no run and no call of a rule", async () => {
    receiver.answer((response, request) => response.writeHead(200).end(JSON.stringify({ url: request.path })));
    const event = freshEvent();
    const then = [{ type: "http", method: "GET", url: `${origin}/rule?\${$.data.name}=1`, auth: AUTH }];
    const rule = await ruleOn(service, { on: [event], then });
    await service.fire(event, { name: "page" });
    await service.until(`/v1/http-calls?rule_id=${rule}`, ({ data }) => data[0]?.state === "succeeded");
    const { text } = await service.api("GET", `/v1/http-calls?rule_id=${rule}`);
    expect(text).toContain("/rule?page=1&api_key=[redacted]");
    const runs = JSON.stringify(await runsOf(service, rule));
    const rows = JSON.stringify(await service.database.query("select * from http_call"));
    expect(`${text} ${runs} ${rows}`).not.toMatch(FORMS);
    expect(receiver.received.at(-1)?.path).toContain("api_key=s3cret");
  });

  test("is not in the error of a server that cannot be reached", async () => {
    const { body, text } = await tryCall({ method: "GET", url: "http://127.0.0.1:9/x", auth: AUTH });
    expect(body).toMatchObject({ succeeded: false, response: null });
    expect(text).not.toMatch(FORMS);
  });

  test("is refused if a filled-in parameter has its name", async () => {
    const url = `${origin}/x?\${$.data.name}=1`;
    const answer = await tryCall({ method: "GET", url, auth: AUTH }, { data: { name: "api_key" }, dry_run: true });
    expect([answer["status"], answer["body"].errors[0].code]).toEqual([422, "value_invalid"]);
  });
});

describe("a definition is refused", () => {
  const { secret_ref } = AUTH;
  test.each<[{ url?: string; query?: object; auth: object }, string]>([
    [{ url: "/?api_key=1", auth: AUTH }, "/url"],
    [{ url: "/?api%5Fkey=${$.data.x}", auth: AUTH }, "/url"],
    [{ query: { api_key: "1" }, auth: AUTH }, "/query/api_key"],
    [{ auth: { type: "api_key", secret_ref } }, "/auth/name"],
    [{ auth: { type: "api_key", secret_ref, in: "query" } }, "/auth/name"],
    [{ auth: { ...AUTH, in: "cookie" } }, "/auth/in"],
    [{ auth: { ...AUTH, name: "a&b" } }, "/auth/name"],
    [{ auth: { ...AUTH, name: "${$.data.x}" } }, "/auth/name"],
    [{ auth: { ...AUTH, in: "header", name: "Host" } }, "/auth/name"],
    [{ auth: { ...AUTH, header: "X-Key" } }, "/auth/header"],
    [{ auth: { type: "api_key", secret_ref, in: "query", header: "X-Key" } }, "/auth/header"],
    [{ auth: { type: "bearer", secret_ref, in: "query" } }, "/auth/in"],
  ])("%j", async ({ url = "/", ...more }, pointer) => {
    const then = [{ type: "http", method: "GET", url: `https://api.example.com${url}`, ...more }];
    const { status, body } = await service.api("POST", "/v1/rules", { name: "R", on: ["a.b"], then });
    expect([status, body["errors"]?.[0]?.pointer]).toEqual([422, `/then/0${pointer}`]);
  });
});

test.each([{ in: "header", name: "X-Key" }, { name: "X-Key" }, { header: "X-Key" }])(
  "an API key in a header can be written as %j",
  async (place) => {
    const auth = { type: "api_key", secret_ref: "api_token", ...place };
    const { body } = await tryCall({ method: "GET", url: `${origin}/key`, auth });
    expect(body.request.headers).toMatchObject({ "X-Key": "[redacted]" });
    expect(receiver.received.at(-1)?.headers["x-key"]).toBe("token-of-the-api");
  },
);
