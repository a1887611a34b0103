import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { deliveryLog } from "../../testing/delivery-log.ts";
import { startService } from "../../testing/service.ts";
import { macHex, unsigned } from "../../testing/signature.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

const DATA: Readonly<Record<string, string>> = {
  "big integers": '{"n":12345678901234567890,"m":-98765432109876543210}',
  "minus zero": '{"n":-0,"m":-0.0}',
  "numbers beyond a double": '{"n":1e400,"m":1E-400,"k":0.1000000000000000055511151231257827}',
  "trailing zeros and exponents": '{"n":1.0,"m":10.50,"k":1e2,"l":1E+2}',
  "__proto__ and constructor": '{"__proto__":{"polluted":true},"constructor":{"prototype":1},"toString":null}',
  "emoji and scripts": '{"e":"😀👩‍👩‍👧 café שלום 你好","😀":1}',
  "NUL and other escapes": '{"a":"\\u0000","b":"\\u00e9\\/\\b\\f","c":"\\ud83d\\ude00"}',
  "a lone surrogate's escape": '{"a":"\\ud800"}',
  "spacing and line breaks": '{ "a" :\t1 ,\r\n  "b" : [ 1,2 , 3 ] }',
  "key order and index-like keys": '{"z":1,"10":2,"2":3,"a":4,"":5}',
  "text that looks like the envelope": '{"x":"\\",\\"data\\":{},\\"signature\\":\\"","signature":""}',
  "an empty object": "{}",
};

for (const [what, data] of Object.entries(DATA)) {
  covers(
    "deliver.sign.exact-bytes",
    `${what} reach the receiver unchanged on the first attempt and on a retry`,
    async () => {
      const { receiver, endpoint, event } = await subscribe(service, { status: 503 });
      const log = deliveryLog(service);
      const fired = await service.api("POST", "/v1/events/fire", `{"data": ${data} ,"event":"${event}"}`);
      expect(fired.status).toBe(202);
      const { id } = fired.body["deliveries"][0];
      await log.attempted(id, 1);
      receiver.status(200);
      // The first attempt took the data from memory. The next one reads it from the database.
      await log.hurry();
      await log.in(id, "delivered");
      const received = await receiver.count(2);
      for (const { body, headers } of received) {
        expect(body).toContain(`"environment":"live","data":${data},"signature":"sha256=`);
        expect(headers["x-service-signature"]).toBe(macHex(endpoint.secret, body));
        const { before, signature } = unsigned(body);
        expect(signature).toBe(`sha256=${macHex(endpoint.secret, before)}`);
      }
      expect(received[1]?.body).toBe(received[0]?.body);
      expect((await log.get(id))["request"].body).toBe(received[0]?.body);
    },
  );
}

test("each event of a batch keeps its own bytes", async () => {
  const { receiver, event } = await subscribe(service);
  const datas = ['{"n":-0}', '{ "n" : 12345678901234567890 }', '{"__proto__":1}'];
  const events = datas.map((data) => `{"event":"${event}","data":${data}}`).join(" , ");
  const fired = await service.api("POST", "/v1/events/batch", `{"events":[ ${events} ]}`);
  expect(fired.status).toBe(202);
  const received = await receiver.count(3);
  const sent = received.map((one) => /"data":(.*),"signature":"[^"]*"\}$/.exec(one.body)?.[1]);
  expect(sent.toSorted()).toEqual(datas.toSorted());
});
