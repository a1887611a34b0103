import { EXCHANGE, readScope } from "../../../service/src/testing/audit.ts";
import { actionOn, proposalOf, runOf } from "../../../service/src/testing/actions.ts";
import { freshConnector } from "../../../service/src/testing/connectors.ts";
import { inboundBody, makeSource, MAPPING } from "../../../service/src/testing/inbound.ts";
import { insertIssue } from "../../../service/src/testing/issues.ts";
import { mintKey } from "../../../service/src/testing/keys.ts";
import { signIn } from "../../../service/src/testing/people.ts";
import { standingArgs } from "../../../service/src/testing/standing-approval-calls.ts";
import type { Receiver } from "../../../service/src/testing/receiver.ts";
import type { Parsed, TestService } from "../../../service/src/testing/test-service.ts";

/** Each part has an effect that a test sees, unless it is shown as text. */
const HOSTILE = `"><img src=x onerror="document.title='hacked';window.hacked=true"><script>window.hacked=true</script> \u202Emoc.live 🎉 __proto__ ${"W".repeat(90)}`;
/** Visible ASCII, at most 128 characters. */
const TENANT = `"><script>window.hacked=true</script>/?#${"W".repeat(85)}`;
/** 10 kB without a place to break a line. */
const LONG = "W".repeat(10_240);
const DATA = `{"__proto__":{"polluted":${JSON.stringify(HOSTILE)}},"constructor":1,"text":${JSON.stringify(HOSTILE)},"long":"${LONG}","total":12345678901234567890}`;

/** Fills a workspace with hostile strings wherever one fits. Returns an id for each parameter of the console's routes, by its path. */
export async function hostileWorld(
  service: TestService,
  receiver: Receiver,
): Promise<Readonly<Record<string, string>>> {
  const made = async (path: string, body: object | string, method = "POST"): Promise<Parsed> => {
    const answer = await service.api(method, path, body);
    if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
    return answer.body;
  };
  await made("/v1/workspaces/current", { name: HOSTILE.slice(0, 100) }, "PATCH");
  receiver.answer((response) => response.writeHead(200).end(JSON.stringify({ said: HOSTILE, long: LONG })));
  const endpoint = await service.endpoint(receiver.url, { description: HOSTILE });
  const then = [
    { type: "add_tag", tag: HOSTILE.slice(0, 60) },
    { type: "notify", to: ["owner"], message: "${$.data.text}" },
  ];
  const rule = await made("/v1/rules", { name: HOSTILE.slice(0, 200), on: ["order.created"], then });
  const workflow = await made("/v1/workflows", {
    name: HOSTILE.slice(0, 200),
    trigger: { event: "order.created" },
    steps: [{ id: "wait", type: "delay", seconds: 3600 }],
  });
  const event = await made(
    "/v1/events/fire",
    `{"event":"order.created","data":${DATA},"tenant":${JSON.stringify(TENANT)}}`,
  );
  const key = await made("/v1/keys", { name: HOSTILE.slice(0, 100), permission_mode: "all" });
  const customer = await made(
    "/v1/customers/cus_1",
    { name: HOSTILE.slice(0, 200), tags: [HOSTILE.slice(0, 60)] },
    "PUT",
  );
  const ticket = await made("/v1/tickets/T-1", { subject: HOSTILE.slice(0, 200), customer_id: customer.id }, "PUT");
  const [receipt, contact, source] = await inbound(service);
  const runs = await service.until(`/v1/workflows/${String(workflow.id)}/runs`, ({ data }) => data.length > 0);
  const call = await called(service, receiver);
  const connector = await freshConnector(service, { name: HOSTILE.slice(0, 80), description: HOSTILE });
  return {
    "/issues": await insertIssue(service, endpoint.id),
    "/endpoints": endpoint.id,
    "/deliveries": event.deliveries[0].id,
    "/events": event.id,
    "/event-types": "order.created",
    "/tenants": TENANT,
    "/sources": source,
    "/receipts": receipt,
    "/contacts": contact,
    "/customers": customer.id,
    "/tickets": ticket.id,
    "/rules": rule.id,
    "/workflows": workflow.id,
    "/workflow-runs": runs.data[0].id,
    "/http-calls": call,
    "/keys": key.id,
    "/connectors": connector.key,
    ...(await asked(service, receiver)),
  };
}

/** Makes a rule send an HTTP call whose texts are hostile. Returns the call. */
async function called(service: TestService, receiver: Receiver): Promise<string> {
  const then = [{ type: "http", method: "POST", url: receiver.url, body: { text: "${$.data.text}" }, retries: 0 }];
  const made = await service.api("POST", "/v1/rules", { name: HOSTILE.slice(0, 200), on: ["call.hostile"], then });
  if (made.status >= 300) throw new Error(`no rule: ${made.text}`);
  await service.api("POST", "/v1/events/fire", `{"event":"call.hostile","data":${DATA}}`);
  const { data } = await service.until("/v1/http-calls", ({ data: all }) => all[0]?.state === "succeeded");
  return data[0].id;
}

/** Sends an inbound request whose every text is hostile. */
async function inbound(service: TestService): Promise<readonly [receipt: string, contact: string, source: string]> {
  const source = await makeSource(service, { ...MAPPING, name: HOSTILE.slice(0, 100), description: HOSTILE });
  await source.send(inboundBody({ name: HOSTILE, text: HOSTILE, long: LONG, __proto__x: HOSTILE }));
  const { data } = await service.until(
    `/v1/inbound-receipts?source_id=${source.id}`,
    ({ data: all }) => all.length > 0,
  );
  return [data[0].id, data[0].contact_id, source.id];
}

/** Creates an action that waits for approval, one that ran, a request of an AI, and the audit log's entries about them. */
async function asked(service: TestService, receiver: Receiver): Promise<Readonly<Record<string, string>>> {
  const contract = { label: HOSTILE.slice(0, 200), description: HOSTILE };
  const parameters = { order: HOSTILE.slice(0, 100), note: LONG };
  const action = await actionOn(service, receiver, { ...contract, requires_confirmation: true });
  const proposal = await proposalOf(service, action, { parameters, prompt: HOSTILE });
  const run = await runOf(service, await actionOn(service, receiver, contract), { parameters, prompt: HOSTILE });
  if (run.status >= 300) throw new Error(`no run: ${run.text}`);
  const scope = await readScope(service);
  const { db, audit } = service.service;
  const exchange = { ...EXCHANGE, prompt: HOSTILE, response: `${HOSTILE} ${LONG}` };
  await db.transaction(async (tx) => await Promise.resolve(audit.history.record(tx, scope, exchange)));
  const [row, said] = await Promise.all([
    service.api("GET", "/v1/audit?limit=1&kind=run"),
    service.api("GET", "/v1/ai-history?limit=1"),
  ]);
  return {
    "/actions": action,
    "/approvals": proposal.id,
    "/standing-approvals": await standing(service, action),
    "/runs": run.body["id"],
    "/audit": row.body["data"][0].id,
    "/ai-history": said.body["data"][0].id,
  };
}

/** Writes a standing approval whose name is hostile, as the owner in a session. */
async function standing(service: TestService, action: string): Promise<string> {
  const agent = await mintKey(service, { actor_type: "ai", role: "ai" });
  const owner = await signIn(service);
  const args = standingArgs(action, agent.id, { name: HOSTILE.slice(0, 100) });
  const made = await owner.call("POST", "/v1/standing-approvals", args);
  if (made.status !== 201) throw new Error(`no standing approval: ${made.text}`);
  return made.body["id"];
}
