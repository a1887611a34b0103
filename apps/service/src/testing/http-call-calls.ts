import { absentId, tagOfId, uuidOf } from "./keys.ts";
import type { TestService } from "./test-service.ts";

type Args = Record<string, unknown>;
type Make = (service: TestService) => Promise<Args> | Args;

const request = { method: "GET", url: "https://api.example.com/orders/${$.data.id}" };

/** The rows of testing/calls.ts for HTTP calls. */
export const httpCallCalls: Readonly<Record<string, { readonly good: Make; readonly bad: Make }>> = {
  "http_calls.list": { good: () => ({ state: "failed" }), bad: () => ({ state: "lost" }) },
  "http_calls.get": { good: endedCall, bad: noCall },
  "http_calls.replay": { good: endedCall, bad: noCall },
  "http_calls.test": {
    good: () => ({ request, data: { id: 7 }, dry_run: true }),
    bad: () => ({ request, data: {}, dry_run: true }),
  },
};

async function noCall(service: TestService): Promise<Args> {
  return { id: absentId({ tag: tagOfId((await service.fire()).id) }, "call") };
}

/** Creates a call that has ended, so that nothing is sent. */
async function endedCall(service: TestService): Promise<Args> {
  const { id } = (await noCall(service)) as { id: string };
  const stored = {
    method: "GET",
    url: "http://127.0.0.1:9/",
    headers: {},
    body: null,
    content_type: null,
    auth: null,
    success_when: null,
    timeout_ms: null,
    retries: 0,
    expose: null,
  };
  await service.database.query(
    `insert into http_call (bucket, tag, id, workspace_id, owner_kind, owner_id, owner_name, run_id, step, request, host, state, ended_at)
      select bucket, tag, $1, id, 'rule', gen_random_uuid(), 'Test', gen_random_uuid(), '0', $2, '127.0.0.1:9', 'failed', now()
      from workspace where tag = $3`,
    [uuidOf(id), JSON.stringify(stored), tagOfId(id)],
  );
  return { id };
}
