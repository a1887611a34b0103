import { expect, test } from "vitest";
import type { wire } from "../../api/api.ts";
import { createLogRows } from "./rows.ts";

const delivery = (number: number, change: Partial<wire.Delivery> = {}): wire.Delivery => ({
  id: `dlv_${number}`,
  object: "delivery",
  event: "order.created",
  event_id: `evt_${number}`,
  endpoint_id: "ep_1",
  state: "pending",
  light: null,
  attempt_count: 0,
  next_attempt_at: null,
  blocked_by: null,
  ordering_key: null,
  sequence: null,
  last_status_code: null,
  last_error_class: null,
  completed_at: null,
  scope_kind: "workspace",
  scope_key: "ws_1",
  environment: "live",
  created_at: new Date(number).toISOString(),
  ...change,
});
const idsOf = (rows: ReturnType<typeof createLogRows>): (string | undefined)[] =>
  Array.from({ length: rows.count() }, (_, index) => rows.at(index)?.id);

test("older pages follow below, and no delivery stands in the log twice", () => {
  const rows = createLogRows();
  rows.append([delivery(4), delivery(3)]);
  rows.append([delivery(3), delivery(2)]);
  expect(idsOf(rows)).toEqual(["dlv_4", "dlv_3", "dlv_2"]);
});

test("a newer first page goes on top when it meets what is there", () => {
  const rows = createLogRows();
  rows.append([delivery(2), delivery(1)]);
  expect(rows.meet([delivery(4), delivery(3), delivery(2, { state: "delivered" })])).toBe(true);
  expect(idsOf(rows)).toEqual(["dlv_4", "dlv_3", "dlv_2", "dlv_1"]);
  expect(rows.at(2)?.state).toBe("delivered");
});

test("a newer first page without known rows is refused, because rows may be missing", () => {
  const rows = createLogRows();
  rows.append([delivery(2)]);
  expect(rows.meet([delivery(200), delivery(199)])).toBe(false);
  expect(idsOf(rows)).toEqual(["dlv_2"]);
});

test("changes to a known row apply in place; others are left to the pill", () => {
  const rows = createLogRows();
  rows.append([delivery(2), delivery(1)]);
  expect(rows.update(delivery(1, { state: "failed", attempt_count: 6, last_status_code: 503 }))).toBe(true);
  expect(rows.at(1)).toMatchObject({ state: "failed", attempts: 6, statusCode: 503 });
  expect(rows.update(delivery(9))).toBe(false);
  expect(rows.count()).toBe(2);
});
