import { macHex, macStandard } from "../../apps/service/src/testing/signature.ts";
import { judge } from "./checker.ts";
import type { Body, Call, DoneFault, End, EndpointState, HistoryRecord, Hit, Operation, SentEvent } from "./history.ts";

/** A history that a test writes by hand. Times are milliseconds. */
export interface Story {
  /** Adds a call that took from `startMs` to `endMs`. Default: 200. */
  call(operation: Operation, atMs: readonly [startMs: number, endMs: number], answer?: Partial<Call>): void;
  /** Creates the endpoint `ep` with the path `/e` and the secret SECRET at 0. */
  endpoint(more?: Partial<Extract<Operation, { readonly op: "create" }>>): void;
  /** Fires event `n`, with the delivery `dlv<n>` to `ep`. */
  fire(n: number, atMs: readonly [startMs: number, endMs: number], more?: Partial<SentEvent>): void;
  /** Adds a request of `dlv<n>`. */
  hit(n: number, atMs: readonly [startMs: number, endMs: number], more?: HitOptions): void;
  /** Adds a call of the backend. */
  backend(body: string, atMs: number): void;
  fault(fault: Partial<DoneFault> & Pick<DoneFault, "kind" | "startMs" | "endMs">): void;
  end(end: Partial<End>): void;
  /** Returns what `name` finds. */
  broken(name: string): string[];
}

export interface HitOptions {
  readonly status?: number | null;
  readonly secret?: string;
  readonly data?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly event?: string;
}

export const SECRET = "whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LTEyMzQ=";
export const OTHER_SECRET = "whsec_b3RoZXItb3RoZXItb3RoZXItb3RoZXItb3RoZXItMTI=";
export const STATE: EndpointState = { events: ["nemesis.*"], active: true, tenant: null, least: null };

const NO_END: End = {
  kind: "end",
  deliveries: [],
  pulled: {},
  proposals: [],
  audit: [],
  auditIsWhole: true,
  usage: { events: 0, deliveries: 0 },
  stuck: [],
  ended: [],
};

export function createStory(): Story {
  const records: HistoryRecord[] = [];
  let end = NO_END;
  let keys = 0;
  const call: Story["call"] = (operation, [startMs, endMs], answer = {}) => {
    keys += 1;
    const base = { kind: "call", client: 0, operation, key: `key-${keys}`, startMs, endMs, status: 200 } as const;
    records.push({ ...base, body: {}, ...answer });
  };
  return {
    call,
    endpoint(more = {}) {
      const operation = { op: "create", path: "/e", kind: "webhook", isOrdered: false, state: STATE, ...more } as const;
      call(operation, [0, 1], { status: 201, body: { id: "ep", secret: SECRET } });
    },
    fire(n, atMs, more = {}) {
      const sent: SentEvent = { ...sentOf(n), ...more };
      const body: Body = { id: `evt${n}`, deliveries: [{ id: `dlv${n}`, endpoint_id: "ep" }] };
      call({ op: "fire", events: [sent] }, atMs, { status: 202, body });
    },
    hit: (n, atMs, more = {}) => void records.push(hitOf(n, atMs, more)),
    backend: (body, atMs) =>
      void records.push({ kind: "hit", path: "/backend", startMs: atMs, endMs: atMs, headers: {}, body, status: 200 }),
    fault: (fault) => void records.push({ kind: "fault", fault: { target: "node-0", strength: 0, ...fault } }),
    end(more) {
      end = { ...end, ...more };
    },
    broken: (name) =>
      judge([...records, end], 0)
        .broken.filter((line) => line.startsWith(`${name}: `))
        .map((line) => line.slice(name.length + 2)),
  };
}

function sentOf(n: number): SentEvent {
  return { n, event: "nemesis.a", tenant: null, f: 5, lane: "1" };
}

function hitOf(n: number, [startMs, endMs]: readonly [number, number], more: HitOptions): Hit {
  const { event, tenant, f, lane } = sentOf(n);
  const { secret = SECRET, status = 200, path = "/e" } = more;
  const data = { n, f, lane, tenant, ...more.data };
  const before = `${JSON.stringify({ event: more.event ?? event, id: `evt${n}`, data }).slice(0, -1)},"signature":""}`;
  const body = before.replace(/"signature":""\}$/, `"signature":"sha256=${macHex(secret, before)}"}`);
  const [id, timestamp] = [`dlv${n}`, String(Math.floor(startMs / 1000))];
  const headers = {
    "x-service-delivery": id,
    "x-service-timestamp": timestamp,
    "x-service-signature": macHex(secret, body),
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": macStandard(secret, { id, timestamp, body }),
    ...more.headers,
  };
  return { kind: "hit", path, startMs, endMs, headers, body, status };
}
