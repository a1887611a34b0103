import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startService } from "../../testing/service.ts";
import type { TestService } from "../../testing/test-service.ts";
import { patternText } from "../../events/events.ts";
import { byId, ENDPOINTS_QUERY, listenerGroups } from "./listeners.store.ts";
import type { ActiveEndpoint } from "./listeners.store.ts";

const ENDPOINTS = 10_000;
const NAMES = ["order.created", "order.paid", "cart.abandoned", "ticket.created", "user.created"];

interface Plan {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly Strategy?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly Plans?: readonly Plan[];
}

let service: TestService;

beforeAll(async () => {
  service = await startService();
  await service.database.query(
    `insert into endpoint (bucket, tag, id, workspace_id, url, events, secret_sealed)
     select bucket, tag, gen_random_uuid(), id, 'https://example.com/' || n, array[case when n = 1 then 'order.created' else 'account.closed' end], '\\x00'
     from (select * from workspace order by id limit 1) w, generate_series(1, $1) n`,
    [ENDPOINTS],
  );
  await service.database.query(
    `insert into endpoint (bucket, tag, id, workspace_id, url, events, tenant, secret_sealed)
     select bucket, tag, gen_random_uuid(), id, 'https://example.com/' || n, array['* t' || n / 10, 'order.paid t' || n / 10], 't' || n / 10, '\\x00'
     from (select * from workspace order by id limit 1) w, generate_series(10, $1) n`,
    [ENDPOINTS],
  );
  await service.database.query("vacuum (analyze) endpoint");
});
afterAll(async () => await service.close());

test.for(["force_custom_plan", "force_generic_plan"])(
  "an event's endpoints are found by index among twenty thousand (%s)",
  async (mode) => {
    const reads = nodesOf(await planOf(mode)).filter((node) => node["Relation Name"] === "endpoint");
    expect(reads.map((node) => node["Node Type"])).toEqual(["Bitmap Heap Scan"]);
    // One endpoint of the workspace, and the ten of the tenant for each event.
    expect(reads.map((node) => Math.round(node["Actual Rows"] * node["Actual Loops"]))).toEqual([
      1 + NAMES.length * 10,
    ]);
  },
);

test("thousands of endpoints are grouped by their filters without a sort", async () => {
  await service.database.query(
    `insert into endpoint (bucket, tag, id, workspace_id, url, events, secret_sealed, filter, max_in_flight, rate_limit_per_second)
     select bucket, tag, gen_random_uuid(), id, 'https://example.com/' || n, array['order.paid'], '\\x00', '{"field":"data.n","op":"eq","value":' || n % 10 || '}',
       n % 7 + 1, nullif(n % 3, 0)
     from (select * from workspace order by id limit 1) w, generate_series(1, $1) n`,
    [ENDPOINTS],
  );
  for (const mode of ["force_custom_plan", "force_generic_plan"]) {
    const nodes = nodesOf(await planOf(mode));
    const groups = nodes.filter((node) => node["Node Type"] === "Aggregate" && node.Strategy === "Hashed");
    expect(groups).toHaveLength(1);
    // Only the groups are sorted: ten filters, and a few without.
    const sorted = nodes.filter((node) => node["Node Type"].includes("Sort"));
    expect(sorted.every((node) => node["Actual Rows"] < 100)).toBe(true);
  }
});

test("each endpoint that is found has its own limits", async () => {
  const found = await service.database.query<{ found: string }>(
    `${await asked()} select found from (${ENDPOINTS_QUERY.text}) q (tag, event, found)`,
  );
  const endpoints = found.flatMap((row) => listenerGroups(row.found)).flatMap((group) => group.endpoints());
  const expected = await service.database.query<ActiveEndpoint>(
    "select id, tenant, max_in_flight, rate_limit_per_second, ordering_key from endpoint where events @> array['order.paid'] and tenant is null",
  );
  expect(expected).toHaveLength(ENDPOINTS);
  expect(endpoints.toSorted(byId)).toEqual(expected.toSorted(byId));
});

async function asked(): Promise<string> {
  const [place] = await service.database.query<{ bucket: number; tag: string }>(
    "select bucket, tag from endpoint limit 1",
  );
  return `with asked as (select ${place?.bucket}::smallint as bucket, '${place?.tag}'::text as tag, 'order.paid'::text as event,
    string_to_array('${patternText("order.paid")}', '|') as patterns, '{}'::text[] as tenants)`;
}

/** Returns the plan of the query for a batch of several events, as it runs. */
async function planOf(mode: string): Promise<Plan> {
  const [workspace] = await service.database.query<{ bucket: number; tag: string }>(
    "select bucket, tag from endpoint limit 1",
  );
  if (workspace === undefined) throw new Error("no endpoint");
  const name = `listeners_${mode}_${randomUUID()}`.replaceAll("-", "");
  const list = (value: (name: string) => string): string => `array[${NAMES.map(value).join(", ")}]`;
  await service.database.query(`set plan_cache_mode = ${mode}`);
  await service.database.query(
    `prepare ${name}(smallint[], text[], text[], text[], text[]) as with asked as (
      select bucket, tag, event, string_to_array(patterns, '|') as patterns, string_to_array(tenants, ' ') as tenants
        from unnest($1, $2, $3, $4, $5) as a (bucket, tag, event, patterns, tenants)) ${ENDPOINTS_QUERY.text}`,
  );
  const [plan] = await service.database.query<{ "QUERY PLAN": [{ Plan: Plan }] }>(
    `explain (analyze, format json) execute ${name}(${list(() => String(workspace.bucket))}, ${list(() => `'${workspace.tag}'`)},
      ${list((event) => `'${event}'`)}, ${list((event) => `'${patternText(event)}'`)}, ${list(() => "'acme t7'")})`,
  );
  if (plan === undefined) throw new Error("no plan");
  return plan["QUERY PLAN"][0].Plan;
}

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}
