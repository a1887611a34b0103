import { afterAll, beforeAll, expect } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { actionOn, confirmedActionOn, runOf } from "../testing/actions.ts";
import { startReceiver } from "../testing/receiver.ts";
import type { Receiver } from "../testing/receiver.ts";
import { startService } from "../testing/service.ts";
import type { TestService } from "../testing/service.ts";

let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  [service, receiver] = await Promise.all([startService(), startReceiver()]);
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

covers("action.run.direct", "smoke", async () => {
  const action = await actionOn(service, receiver);
  receiver.answer((response) =>
    response.writeHead(200, { "Content-Type": "application/json" }).end('{"refund":12345678901234567890}'),
  );
  const answer = await runOf(service, action);
  console.log(answer.status, answer.text);
  const c = await confirmedActionOn(service, receiver);
  const p = await runOf(service, c);
  console.log(p.status, p.text);
  const i = await runOf(service, c, { confirmed: true });
  console.log(i.status, i.text);
  const a = await service.api("POST", `/v1/proposals/${p.body.proposal.id}/approve`, {
    params_hash: p.body.proposal.params_hash,
  });
  console.log(a.status, a.text);
  const d = await runOf(service, c, { dry_run: true });
  console.log(d.status, d.text);
  receiver.status(500);
  const f = await runOf(service, c, { confirmed: true });
  console.log(f.status, f.text);
  console.log((await service.api("GET", "/v1/runs")).text.slice(0, 300));
  expect(answer.status).toBe(200);
});
