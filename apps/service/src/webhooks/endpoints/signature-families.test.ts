import { createPublicKey, verify } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deliveryLog } from "../../testing/delivery-log.ts";
import type { Received } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let log: ReturnType<typeof deliveryLog>;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  log = deliveryLog(service);
});
afterAll(async () => await service.close());

describe("an endpoint with Ed25519 signatures", () => {
  test("is verified with its public key, and the old one during the overlap", async () => {
    const { fire, receiver, endpoint, path } = await subscribe(service, {
      more: { signatures: ["service", "standard", "ed25519"] },
    });
    const { public_key: first } = await read(path);
    await log.in(await fire(), "delivered");
    const [one] = await receiver.count(1);
    expect(isSigned(one, first)).toBe(true);
    new Webhook(endpoint.secret).verify(one?.body ?? "", one?.headers as Record<string, string>);
    const rotated = await service.api("POST", `${path}/secret/regenerate`, { overlap_seconds: 60 });
    expect(rotated.body).toMatchObject({ previous_public_key: first });
    await log.in(await fire(), "delivered");
    const [, two] = await receiver.count(2);
    expect(isSigned(two, first) && isSigned(two, rotated.body["public_key"])).toBe(true);
    expect(isSigned(one, rotated.body["public_key"])).toBe(false);
    for (const query of ["", `?endpoint_id=${endpoint.id}`]) {
      const { keys } = await (await fetch(`${service.baseUrl}/.well-known/jwks.json${query}`)).json();
      const known = keys.map(({ x }: { x: string }) => `whpk_${Buffer.from(x, "base64url").toString("base64")}`);
      expect(known).toEqual(expect.arrayContaining([first, rotated.body["public_key"]]));
      expect(JSON.stringify(keys)).not.toContain('"d"');
    }
    await service.api("PATCH", path, { signatures: ["service", "standard"] });
    expect(await read(path)).toMatchObject({ public_key: null, previous_public_key: null });
  });

  test("can do without the signatures of the shared secret", async () => {
    const { fire, receiver } = await subscribe(service, { more: { signatures: ["ed25519"] } });
    await log.in(await fire(), "delivered");
    const [one] = await receiver.count(1);
    expect(one?.headers["x-service-signature"]).toBeUndefined();
    expect(one?.headers["webhook-signature"]).toMatch(/^v1a,\S+$/);
    expect(JSON.parse(one?.body ?? "")).toMatchObject({ signature: "" });
  });

  test.each([[[]], [["service", "service"]], [["rsa"]]])("refuses %j", async (signatures) => {
    const body = { url: "http://127.0.0.1:9/hook", events: ["a.b"], signatures };
    const { status, body: problem } = await service.api("POST", "/v1/webhook-endpoints", body);
    expect(status).toBe(422);
    expect(problem["errors"][0].pointer).toMatch(/^\/signatures/);
  });
});

async function read(path: string): Promise<Parsed> {
  return (await service.api("GET", path)).body;
}

/** Verifies with node:crypto alone. */
function isSigned(one: Received | undefined, publicKey: string): boolean {
  if (one === undefined) return false;
  const x = Buffer.from(publicKey.slice("whpk_".length), "base64").toString("base64url");
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  const signed = Buffer.from([one.headers["webhook-id"], one.headers["webhook-timestamp"], one.body].join("."));
  const signatures = String(one.headers["webhook-signature"])
    .split(" ")
    .filter((text) => text.startsWith("v1a,"));
  return signatures.some((text) => verify(null, signed, key, Buffer.from(text.slice(4), "base64")));
}
