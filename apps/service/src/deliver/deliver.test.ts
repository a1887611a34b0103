import { afterAll, beforeAll, expect } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
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

covers("deliver.request.post", "a fired event is posted as JSON to the endpoint", async () => {
  await service.endpoint(receiver.url);
  const fired = await service.fire("order.created", { order: { id: "ord_1" } });
  const [first] = await receiver.count(1);
  expect(first).toMatchObject({
    method: "POST",
    headers: { "content-type": "application/json", "x-service-delivery": fired["deliveries"][0].id },
  });
});
