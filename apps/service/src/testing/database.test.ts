import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { cloneDatabase } from "./database.ts";

test("dropping a test's database waits for a connection that is slow to close, and cuts none", async () => {
  const database = await cloneDatabase();
  const [backend] = await database.query<{ pid: number }>("select pg_backend_pid() as pid");
  const pid = backend?.pid ?? 0;
  expect(pid).toBeGreaterThan(0);
  // What a busy machine does to it: our goodbye lies there unread when the drop begins. Cut now, it would answer with an
  // error that nobody listens for, and vitest fails a run with such an error.
  process.kill(pid, "SIGSTOP");
  const dropped = database.drop();
  await sleep(300);
  process.kill(pid, "SIGCONT");
  await dropped;
});
