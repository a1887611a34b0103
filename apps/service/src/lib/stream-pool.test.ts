import { createServer } from "node:http";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createStreamPool } from "./stream-pool.ts";
import type { Holder, PooledStream, StreamPoolOptions } from "./stream-pool.ts";

const OPTIONS: StreamPoolOptions = {
  most: 8,
  shares: { key: 2, tenant: 2, member: 3, workspace: 4, network: 6 },
  advice: "Close one.",
  mostUnreadOfStream: 1024 * 1024,
  mostUnread: 3 * 1024 * 1024,
};

let made = 0;

/** A holder that shares nothing with another one but what is given. */
function holder(shared: Partial<Holder> = {}): Holder {
  made += 1;
  return { workspace: `w${made}`, tenant: null, member: `m${made}`, key: `k${made}`, network: `n${made}`, ...shared };
}

test.each([
  ["key", 2, "A key can have at most 2 streams"],
  ["tenant", 2, "A tenant can have at most 2 streams"],
  ["member", 3, "A member, with all keys and connected apps, can have at most 3 streams"],
  ["workspace", 4, "A workspace can have at most 4 streams"],
] as const)("a %s has a share of the places, which a refusal names", (share, most, detail) => {
  const pool = createStreamPool(OPTIONS);
  const shared = { workspace: "acme", [share]: "acme" };
  for (let n = 0; n < most; n += 1) pool.open(holder(shared));
  const details = { headers: { "Retry-After": "30" }, detail: expect.stringContaining(detail) as string };
  expect(() => pool.open(holder(shared))).toThrow(expect.objectContaining({ code: "too_many_streams", details }));
  expect(pool.open(holder({ network: "n1" })).isOver).toBe(false);
});

test("a network has one share for all workspaces", () => {
  const pool = createStreamPool(OPTIONS);
  for (let n = 0; n < 6; n += 1) pool.open(holder({ network: "nat", member: "same", key: "same" }));
  expect(() => pool.open(holder({ network: "nat" }))).toThrow(expect.objectContaining({ code: "too_many_streams" }));
});

test("a full pool gives a place of the largest workspace to a smaller", () => {
  const pool = createStreamPool(OPTIONS);
  const yielded: string[] = [];
  for (const workspace of ["a", "a", "a", "b", "b", "b", "c", "a"])
    pool.open(holder({ workspace }), () => yielded.push(workspace));
  const late = pool.open(holder({ workspace: "d" }));
  expect([pool.size, yielded, late.isOver]).toEqual([8, ["a"], false]);
  for (const workspace of ["d", "e", "f"]) pool.open(holder({ workspace }));
  expect(yielded).toHaveLength(4);
  expect(() => pool.open(holder({ workspace: "d" }))).toThrow(expect.objectContaining({ code: "too_many_streams" }));
});

test("a place is free again when its stream has ended", () => {
  const pool = createStreamPool({ ...OPTIONS, most: 1 });
  const stream = pool.open(holder());
  stream.destroy();
  stream.destroy();
  expect(pool.size).toBe(0);
  pool.open(holder());
  expect(pool.size).toBe(1);
});

test("unread bytes are bounded before they are pushed, for each stream", () => {
  const stream = createStreamPool(OPTIONS).open(holder());
  const text = "x".repeat(100 * 1024);
  let pushed = 0;
  while (stream.push(text)) pushed += 1;
  expect([pushed, stream.isOver]).toEqual([10, true]);
  expect(stream.push("more")).toBe(false);
});

test("beyond the common bound, the slowest of the largest workspace goes", () => {
  const pool = createStreamPool(OPTIONS);
  const [slow, slower, other] = [{ workspace: "a" }, { workspace: "a" }, { workspace: "b" }].map((one) =>
    pool.open(holder(one)),
  ) as [PooledStream, PooledStream, PooledStream];
  slow.push("x".repeat(900 * 1024));
  slower.push("x".repeat(1000 * 1024));
  expect(other.push("x".repeat(1024 * 1024))).toBe(true);
  expect([slow.isOver, slower.isOver, other.isOver]).toEqual([false, false, false]);
  expect(pool.open(holder({ workspace: "b" })).push("x".repeat(500 * 1024))).toBe(true);
  expect([slow.isOver, slower.isOver, other.isOver]).toEqual([false, true, false]);
});

test("the end frees place and connection, whether the client reads or not", async () => {
  const pool = createStreamPool({ ...OPTIONS, mostUnreadOfStream: 32 * 1024 * 1024, mostUnread: 64 * 1024 * 1024 });
  const streams: PooledStream[] = [];
  const server = createServer((_request, response) => {
    const stream = pool.open(holder());
    streams.push(stream);
    stream.attach(response);
    stream.readable.pipe(response);
    stream.push("x".repeat(16 * 1024 * 1024));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const silent = connect(port, "127.0.0.1", () => silent.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  silent.on("error", () => undefined).pause();
  const reading = await fetch(`http://127.0.0.1:${port}/`);
  await expect.poll(() => pool.size).toBe(2);
  for (const stream of streams) stream.end(1000);
  expect((await reading.text()).length).toBe(16 * 1024 * 1024);
  await expect.poll(() => pool.size, { timeout: 3000 }).toBe(0);
  await expect
    .poll(async () => await new Promise((resolve) => server.getConnections((_error, count) => resolve(count))), {
      timeout: 3000,
    })
    .toBeLessThanOrEqual(1);
});
