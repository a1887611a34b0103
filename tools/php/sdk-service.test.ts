import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startReceiver } from "../../apps/service/src/testing/receiver.ts";
import { startService } from "../../apps/service/src/testing/service.ts";
import { wayTo } from "../../apps/service/src/testing/way.ts";
import { covers } from "../../requirements/covers.ts";
import { php84, whyNoPhp84 } from "./php84.ts";
import type { TestService } from "../../apps/service/src/testing/test-service.ts";

/** Tests the PHP SDK against the real service: `sdks/php/tests/against-service.php` makes the calls, and this file checks the results. */

const MINUTES_5 = 300_000;
const missing = await whyNoPhp84();
const program = new URL("../../sdks/php/tests/against-service.php", import.meta.url).pathname;

describe.skipIf(missing !== undefined)("the PHP SDK and the real service", () => {
  let service: TestService;
  let report: Record<string, unknown>;

  beforeAll(async () => {
    service = await startService();
    const php = await php84();
    const away = await serviceThatGoesAway(service);
    const env = { ...process.env, JUNCTION_API_KEY: service.key, JUNCTION_BASE_URL: service.baseUrl, ...away.env };
    const ran = await php.run([program], { env });
    await away.close();
    if (ran.status !== 0) throw new Error(ran.output);
    report = JSON.parse(ran.stdout) as Record<string, unknown>;
  }, MINUTES_5);

  afterAll(async () => await service?.close());

  covers("sdk.handles.idempotency", "a repeated call is answered again, and another one with its key refused", () => {
    expect(report["replayed"]).toEqual([false, true, true]);
    expect(report["reused"]).toBe("IdempotencyException 422 idempotency_key_reused");
  });

  covers("sdk.handles.typed", "a list is gone through page by page, and every object is read whole", () => {
    expect(report["pages"]).toEqual([5, 4, 3, 2, 1]);
    expect(report["unread"]).toEqual([]);
    expect(report["lists"]).toEqual(expect.arrayContaining(["events", "keys", "members", "roles", "webhookEndpoints"]));
  });

  test("a message is committed after the loop's body, and returns after a break", () => {
    expect([report["pulled"], report["lost lease"]]).toEqual([
      [1, 2, 2, 3],
      [1, 2, 2, 3],
    ]);
  });

  test("the loop waits while the service is away, and repeats and loses nothing", () => {
    expect([report["away"], report["away position"]]).toEqual([[1, 2, 3, 4, 5], 5]);
  });

  covers("sdk.handles.signing", "a key that must sign is served by its key or by its id", () => {
    expect([report["signed by id"], report["signed by key"]]).toEqual([200, 200]);
    expect(report["unsigned"]).toBe("AuthenticationException 401 signature_required");
  });

  covers("sdk.handles.retries", "a clock that is an hour behind costs one more request", () => {
    expect(report["clock"]).toBe(2);
  });

  covers("sdk.handles.typed", "each refusal has its class", () => {
    expect(report).toMatchObject({
      "read only": "PermissionException 403 key_read_only",
      "wrong key": "AuthenticationException 401 key_invalid",
      "not found": "NotFoundException 404 not_found",
      blocked: "ValidationException 422 url_blocked",
      invalid: "ValidationException 400 query_invalid",
      "no route": "NotFoundException 404 route_not_found",
    });
  });
});

const AWAY_MS = 2000;
const SOON_MS = 500;

/** A way to the service, and a URL that closes it for a time: `now`, or `soon`, and then fires two events while it is closed. */
async function serviceThatGoesAway(service: TestService) {
  const [way, control] = await Promise.all([wayTo(service), startReceiver()]);
  control.answer((response, { path }) => {
    const isSoon = path.endsWith("soon");
    setTimeout(() => way.cut(AWAY_MS), isSoon ? SOON_MS : 0);
    if (isSoon) setTimeout(() => void fireTwo(service), 2 * SOON_MS);
    response.end();
  });
  return {
    env: { JUNCTION_WAY_URL: way.url, JUNCTION_AWAY_URL: `${new URL(control.url).origin}/` },
    async close() {
      way.close();
      await control.close();
    },
  };
}

async function fireTwo(service: TestService): Promise<void> {
  for (const n of [4, 5]) await service.fire("php.away", { n });
}
