import { afterAll, beforeAll, expect, test } from "vitest";
import { sendBytes } from "../../testing/raw-http.ts";
import { startService } from "../../testing/service.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

const CRLF = "\r\n";
const request = (target: string, more = ""): string =>
  `GET ${target} HTTP/1.1${CRLF}Host: a${CRLF}Connection: close${CRLF}${more}${CRLF}`;

const cases: readonly [string, string, number, string][] = [
  ["bytes that are no HTTP", `hello${CRLF}${CRLF}`, 400, "bad_request"],
  ["headers of more than 16 KiB", request("/livez", `X-A: ${"a".repeat(17_000)}${CRLF}`), 400, "bad_request"],
  [
    "a length beside chunks, which could smuggle a request",
    request("/livez", `Content-Length: 5${CRLF}Transfer-Encoding: chunked${CRLF}`),
    400,
    "bad_request",
  ],
  ["two lengths", request("/livez", `Content-Length: 5${CRLF}Content-Length: 6${CRLF}`), 400, "bad_request"],
  ["a path that is not well encoded", request("/v1/events/%zz"), 400, "bad_request"],
  ["an id longer than any", request(`/v1/events/${"a".repeat(600)}`), 404, "not_found"],
];

for (const [what, bytes, status, code] of cases) {
  test(`${what}: answered as a problem with ${status} ${code}, and the connection closed`, async () => {
    const [head = "", body = ""] = (await sendBytes(service.baseUrl, bytes)).split(`${CRLF}${CRLF}`);
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head.toLowerCase()).toContain("content-type: application/problem+json");
    expect(head).toMatch(/x-service-request-id: req_/i);
    expect(head).toMatch(/x-service-ratelimit-remaining: \d+/i);
    expect(JSON.parse(body)).toMatchObject({ status, code, type: expect.stringMatching(`/docs/errors/${code}$`) });
  });
}
