import { afterAll, beforeAll, expect, test } from "vitest";
import { MASTER_KEY, startService } from "../../testing/service.ts";
import { clockAndVersionOf, targetHosts } from "./doctor.store.ts";
import { sealedValuesCheck } from "./seals.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

test("the database reports its version and its clock", async () => {
  const { version, answerMs, skewMs } = await clockAndVersionOf(service.database.url);
  expect(Number.parseInt(version, 10)).toBeGreaterThanOrEqual(15);
  expect(answerMs).toBeGreaterThan(0);
  expect(Math.abs(skewMs)).toBeLessThan(60_000);
  const url = new URL(service.database.url);
  url.pathname = "/nowhere";
  await expect(clockAndVersionOf(url.href)).rejects.toThrow("nowhere");
});

test("connections are tried to the newest https endpoints that are active, each host once", async () => {
  const insert = `insert into endpoint select (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid(), 'url', u, 'active', a))).*
    from endpoint e, unnest($1::text[], $2::bool[]) t(u, a)`;
  await service.endpoint("http://127.0.0.1:9/");
  const urls = [
    "https://a.example/x",
    "https://a.example/y",
    "https://b.example:8443/",
    "https://[2001:db8::1]/",
    "https://off.example/",
  ];
  await service.database.query(insert, [urls, urls.map((url) => !url.includes("off."))]);
  expect((await targetHosts(service.service.db.query)).toSorted()).toEqual([
    "[2001:db8::1]:443",
    "a.example:443",
    "b.example:8443",
  ]);
});

test("a value that no key opens is named by its column and its object", async () => {
  await service.database.query("delete from endpoint");
  await service.endpoint("http://127.0.0.1:9/lost");
  const [row] = await service.database.query<{ id: string }>(
    "update endpoint set secret_sealed = '\\x01' returning id",
  );
  const { db, encryptedColumns: columns } = service.service;
  const check = await sealedValuesCheck({
    db,
    masterKey: Buffer.from(MASTER_KEY, "base64"),
    previous: [],
    columns,
  });
  expect(check).toMatchObject({
    status: "failed",
    detail: `None of the configured master keys decrypts values of endpoint.secret_sealed (endpoint:${row?.id}).`,
  });
});
