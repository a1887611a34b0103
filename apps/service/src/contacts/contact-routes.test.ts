import { afterAll, beforeAll } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { startService } from "../testing/service.ts";
import { UNLIMITED } from "../testing/subscription.ts";
import { provesSuccesses } from "../testing/successes.ts";
import type { ApiAnswer, TestService } from "../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

function call(method: string, path: string, body?: unknown): () => Promise<ApiAnswer> {
  return async () => await service.api(method, path, body);
}

async function contactPath(email: string): Promise<string> {
  const { body } = await service.api("POST", "/v1/contacts", { email, tags: ["vip"], external_ids: [email] });
  return `/v1/contacts/${body["id"]}`;
}

covers("openapi.document.complete", "each route of contacts answers as the document says", async () => {
  const path = await contactPath("ada@example.com");
  const into = await contactPath("bob@example.com");
  await provesSuccesses(service, ["/v1/contacts"], {
    "POST /v1/contacts 201": call("POST", "/v1/contacts", { email: "new@example.com", score: 1.5 }),
    "GET /v1/contacts 200": call("GET", "/v1/contacts?tag=vip"),
    "GET /v1/contacts/{id} 200": call("GET", path),
    "PATCH /v1/contacts/{id} 200": call("PATCH", path, { email_aliases: ["alias@example.com"], name: "Ada" }),
    "POST /v1/contacts/{id}/activities 201": call("POST", `${path}/activities`, { summary: "Called", value: 1.5 }),
    "GET /v1/contacts/{id}/activities 200": call("GET", `${path}/activities?kind=note`),
    "POST /v1/contacts/{id}/merge 200": call("POST", `${path}/merge`, { into: into.slice("/v1/contacts/".length) }),
    "GET /v1/contacts/{id}/export 200": call("GET", `${into}/export`),
    "DELETE /v1/contacts/{id} 204": call("DELETE", into),
  });
});

covers("openapi.document.complete", "each route of customers and tickets answers as the document says", async () => {
  const ticket = { subject: "Help", assignee: null, customer_external_id: "cus_1" };
  const { body } = await service.api("PUT", "/v1/tickets/T-0", { ...ticket, customer_external_id: "cus_0" });
  await provesSuccesses(service, ["/v1/customers", "/v1/tickets"], {
    "PUT /v1/customers/{id} 201": call("PUT", "/v1/customers/cus_1", { name: "Ada" }),
    "PUT /v1/customers/{id} 200": call("PUT", "/v1/customers/cus_1", { lifecycle_stage: "trial" }),
    "GET /v1/customers 200": call("GET", "/v1/customers?external_id=cus_1"),
    "GET /v1/customers/{id} 200": call("GET", `/v1/customers/${body["customer_id"]}`),
    "PUT /v1/tickets/{id} 201": call("PUT", "/v1/tickets/T-1", ticket),
    "PUT /v1/tickets/{id} 200": call("PUT", "/v1/tickets/T-1", { status: "closed" }),
    "GET /v1/tickets 200": call("GET", `/v1/tickets?customer_id=${body["customer_id"]}`),
    "GET /v1/tickets/{id} 200": call("GET", `/v1/tickets/${body["id"]}`),
  });
});
