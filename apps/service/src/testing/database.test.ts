import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { cloneDatabase } from "./database.ts";

test("dropping a test's database waits for a connection that closes slowly", async () => {
  const database = await cloneDatabase();
  const [backend] = await database.query<{ pid: number }>("select pg_backend_pid() as pid");
  const pid = backend?.pid ?? 0;
  expect(pid).toBeGreaterThan(0);
  // The stopped process simulates a busy machine, on which our close message is still unread when the drop begins. A forced close would
  // send an error that no listener handles, and vitest fails a run with such an error.
  process.kill(pid, "SIGSTOP");
  const dropped = database.drop();
  await sleep(300);
  process.kill(pid, "SIGCONT");
  await dropped;
});
