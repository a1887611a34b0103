import { afterAll, beforeAll, expect, test } from "vitest";
import { startService } from "../testing/service.ts";
import type { TestService } from "../testing/service.ts";
import { clockAndVersionOf, targetHosts } from "./doctor.store.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

test("the database tells its version and its clock", async () => {
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
