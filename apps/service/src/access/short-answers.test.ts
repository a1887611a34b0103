import fc from "fast-check";
import { expect } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { lengthen, shorten } from "./short-answers.ts";

const TAG = "bmphx75r";
const FIRED = JSON.stringify({
  id: `evt_${TAG}01m8nxsh9fe6fsb7ztaymcp5zx`,
  object: "event",
  event: "order.created",
  canonical: true,
  occurred_at: "2026-11-30T09:50:21.538Z",
  status: "accepted",
  subscribers: [
    { kind: "projection", key: "contacts", priority: 10 },
    { kind: "webhook", key: `ep_${TAG}01m8nxsh9fe6fsb7ztaymcp5zy`, priority: 60 },
  ],
  deliveries: [
    {
      id: `dlv_${TAG}01m8nxsh9fe6fsb7ztaymcp5zz`,
      endpoint_id: `ep_${TAG}01m8nxsh9fe6fsb7ztaymcp5zy`,
      state: "pending",
    },
  ],
});

covers("idempotency.repeat.original", "a stored response of a fired event takes less than half of its bytes", () => {
  const stored = shorten(FIRED, TAG);
  expect(stored.length).toBeLessThan(FIRED.length / 2);
  expect(lengthen(stored, TAG)).toBe(FIRED);
});

covers("idempotency.repeat.original", "a response that an earlier release stored is read as it is", () => {
  expect(lengthen(FIRED, TAG)).toBe(FIRED);
});

// Stored responses are read for a week, also by later releases.
covers("idempotency.repeat.original", "the code of a phrase never changes", () => {
  expect(
    lengthen(
      "\u001f\u0001\u001eA\u0002a.b\u0004T\u0005\u0006\u001eB\u0007\u0008\u0009\u001eC\u000A\u001eB\u000B]}",
      TAG,
    ),
  ).toBe(
    `{"id":"evt_${TAG}A","object":"event","event":"a.b","canonical":true,"occurred_at":"T","status":"accepted","subscribers":[{"kind":"webhook","key":"ep_${TAG}B","priority":60}],"deliveries":[{"id":"dlv_${TAG}C","endpoint_id":"ep_${TAG}B","state":"pending"}]}`,
  );
  const rest = lengthen("\u001f\u0003\u000C\u000D\u000E\u000F\u0010\u0011\u0012\u0013\u0014\u0015\u0016", TAG);
  expect(rest).toBe(
    '","canonical":false,"occurred_at":"{"kind":"projection","key":"contacts","priority":10}{"kind":"mirror","key":"{"kind":"connector","key":"{"kind":"rule","key":"rules","priority":40}{"kind":"workflow","key":"{"kind":"assistant","key":"assistant","priority":50}","priority":","tenant":"","status":"accepted","subscribers":[],"deliveries":[]{"object":"list","data":[],"schema_errors":[',
  );
});

covers("idempotency.repeat.original", "any text is the same again, also with control characters and phrases", () => {
  const piece = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("\u0000", "\u0001", "\u001e", "\u001f", "\n", TAG, TAG.slice(0, 5), '","priority":', FIRED),
    fc.integer({ min: 0, max: FIRED.length }).map((at) => FIRED.slice(at, at + 60)),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      // No JSON begins with a control character.
      const body = `{${pieces.join("")}`;
      expect(lengthen(shorten(body, TAG), TAG)).toBe(body);
    }),
    { numRuns: 2000 },
  );
});
