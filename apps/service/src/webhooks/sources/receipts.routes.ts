import { sendText } from "../../access/access.ts";
import { callerOf, operators, readers, route } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import { t } from "../../lib/lib.ts";
import type { Inbound } from "./inbound.ts";
import * as receiptShapes from "./receipts.schemas.ts";

const ReceiptParams = t.Object({ id: t.WireId("rcp") });

export function receiptRoutes(app: App, { receipts }: Inbound): void {
  route(app, "GET /v1/inbound-receipts", {
    config: { operation: "inbound_receipts.list", tenants: true, callers: readers, errors: ["not_found"] },
    operationId: "listInboundReceipts",
    summary: "List receipts",
    description: "Newest first, with filters.",
    querystring: receiptShapes.ReceiptListQuery,
    response: { 200: receiptShapes.ReceiptListView },
    handler: async (request, reply) => {
      const page = await receipts.list(callerOf(request).scope, request.query);
      const rest = JSON.stringify({ has_more: page.has_more, next_cursor: page.next_cursor });
      return await sendText(reply, `{"object":"list","data":[${page.data.join(",")}],${rest.slice(1)}`);
    },
  });

  route(app, "GET /v1/inbound-receipts/:id", {
    config: { operation: "inbound_receipts.get", tenants: true, callers: readers },
    operationId: "getInboundReceipt",
    summary: "Show a receipt",
    description: "Returns the receipt with the payload as it was received.",
    params: ReceiptParams,
    response: { 200: receiptShapes.ReceiptView },
    handler: async (request, reply) =>
      await sendText(reply, await receipts.get(callerOf(request).scope, request.params.id)),
  });

  route(app, "POST /v1/inbound-receipts/:id/reprocess", {
    config: {
      operation: "inbound_receipts.reprocess",
      tenants: true,
      callers: operators,
      errors: ["conflict", "inbound_processing_failed"],
    },
    operationId: "reprocessInboundReceipt",
    summary: "Reprocess a receipt",
    description: "Processes an unmapped or failed receipt again, with the current settings of its source.",
    params: ReceiptParams,
    response: { 200: receiptShapes.ReceiptView },
    handler: async (request, reply) =>
      await sendText(reply, await receipts.reprocess(callerOf(request).scope, request.params.id)),
  });
}
