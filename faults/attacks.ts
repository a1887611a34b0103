import { createHmac } from "node:crypto";

/** An attack of a hostile tenant, sender or stranger through the public API. Each attack is repeated until the experiment ends. */
export interface Attack {
  readonly name: string;
  /** Makes what the attack needs. The service may refuse it: then the attack is what is sent nevertheless. */
  prepare(hostile: Hostile): Promise<void>;
  /** Sends one round. Returns the statuses. */
  strike(hostile: Hostile): Promise<number[]>;
}

export interface Answered {
  readonly status: number;
  readonly text: string;
}

export interface Hostile {
  /** A server that reads nothing and never answers, to which deliveries hang. */
  readonly hangingUrl: string;
  /** Calls with the hostile workspace's key. */
  call(method: string, path: string, body?: unknown): Promise<Answered>;
  /** Sends bytes without a credential. */
  raw(method: string, path: string, headers: Record<string, string>, body?: string | Buffer): Promise<Answered>;
}

const MEBIBYTE = 1024 * 1024;
const ENDPOINTS = 90;
const ENDLESS = { kind: "script", source: "export function transform() { for (;;); }" };

export const ATTACKS: readonly Attack[] = [
  conditions(),
  unsigned(),
  schemas(),
  documents(),
  largeEvents(),
  loops(),
  workflows(),
  waits(),
  portal(),
  streams(),
  strangers(),
];

function idOf({ text }: Answered): string {
  return (JSON.parse(text) as { readonly id?: string }).id ?? "none";
}

/** Filters that compare with each of many numbers that are equal as doubles. */
function conditions(): Attack {
  const leaf = { field: "data.a", op: "contains", value: 1 };
  const filter = JSON.stringify({ any: Array.from({ length: 99 }, () => leaf) }).replaceAll(
    '"value":1',
    '"value":1.00000000000000001',
  );
  const data = `{"a":[${"1,".repeat(125_000)}1]}`;
  let endpoint = "";
  return {
    name: "conditions",
    async prepare({ call, hangingUrl }) {
      const made = `{"url":"${hangingUrl}","events":["hostile.condition"],"filter":${filter}}`;
      endpoint = idOf(await call("POST", "/v1/webhook-endpoints", made));
    },
    strike: async ({ call }) => [
      (await call("POST", "/v1/events/fire", `{"event":"hostile.condition","data":${data}}`)).status,
      (await call("POST", `/v1/webhook-endpoints/${endpoint}/filter/preview`, `{"filter":${filter}}`)).status,
    ],
  };
}

/** Unsigned requests to a source whose readers are dear: multipart, XML, forms, escapes. */
function unsigned(): Attack {
  let path = "";
  const bodies: readonly (readonly [type: string, body: string])[] = [
    ["multipart/form-data; boundary=X", "--X\r\nA:b\r\n\r\n\r\n".repeat(65_000)],
    [
      "application/xml",
      `<a ${Array.from({ length: 90_000 }, (_, at) => `a${at}=""`).join(" ")}/>`.slice(0, MEBIBYTE - 1),
    ],
    ["application/json", `{${Array.from({ length: 60_000 }, (_, at) => String.raw`"\u0061${at}":1`).join(",")}}`],
    ["application/x-www-form-urlencoded", "payload=[[[&".repeat(80_000)],
  ];
  return {
    name: "unsigned senders",
    async prepare({ call }) {
      const { text } = await call("POST", "/v1/inbound-endpoints", {
        name: "Slack",
        sender: "slack",
        secret: "s".repeat(32),
      });
      const { url } = JSON.parse(text) as { url?: string };
      path = url === undefined ? "/api/v1/inbound.php?t=none" : new URL(url).pathname + new URL(url).search;
    },
    strike: async ({ raw }) =>
      await Promise.all(
        [...bodies, ...bodies].map(
          async ([type, body]) => (await raw("POST", path, { "content-type": type }, body)).status,
        ),
      ),
  };
}

/** A schema that costs much for each element, and an event with many. */
function schemas(): Attack {
  const schema = { type: "object", properties: { a: { items: { anyOf: Array.from({ length: 1800 }, () => false) } } } };
  return {
    name: "schemas",
    async prepare({ call }) {
      await call("POST", "/v1/event-types", { name: "hostile.typed", schema, enforcement: "enforce" });
    },
    strike: async ({ call }) => [
      (await call("POST", "/v1/events/fire", `{"event":"hostile.typed","data":{"a":[${"1,".repeat(100_000)}1]}}`))
        .status,
    ],
  };
}

/** Documents that anybody may read, several at a time. */
function documents(): Attack {
  const paths = [
    "/openapi.json",
    "/openapi-3.1.json",
    "/asyncapi.json",
    "/docs",
    "/docs/errors",
    "/.well-known/oauth-protected-resource",
  ];
  return {
    name: "documents",
    // The first request for a document makes it, once for the life of the process.
    async prepare({ raw }) {
      for (const path of paths) await raw("GET", path, {});
    },
    strike: async ({ raw }) =>
      await Promise.all([...paths, ...paths].map(async (path) => (await raw("GET", path, {})).status)),
  };
}

/** Events of a megabyte from a hacked sender, and own ones, for ninety endpoints that hang. Then the log is read. */
function largeEvents(): Attack {
  const secret = "hostile-secret-of-a-sender-32-bytes";
  const grown = `{"type":"hostile.large","text":"${"x".repeat(MEBIBYTE - 4096)}"}`;
  const escaped = "\u0001".repeat(MEBIBYTE - 4096);
  let path = "";
  let sent = 0;
  return {
    name: "large events",
    async prepare({ call, hangingUrl }) {
      for (let at = 0; at < ENDPOINTS; at += 1)
        await call("POST", "/v1/webhook-endpoints", {
          url: `${hangingUrl}?${at}`,
          events: ["hostile.*"],
          max_in_flight: 64,
        });
      const { text } = await call("POST", "/v1/inbound-endpoints", {
        name: "Hacked",
        secret,
        event_name: "hostile.large",
      });
      const { url } = JSON.parse(text) as { url?: string };
      path = url === undefined ? "" : new URL(url).pathname + new URL(url).search;
    },
    async strike({ call, raw }) {
      sent += 1;
      const signed = async (type: string, body: string): Promise<number> => {
        const signature = createHmac("sha256", secret).update(body).digest("hex");
        const headers = { "content-type": type, "x-service-inbound-signature": signature };
        return path === "" ? 0 : (await raw("POST", path, headers, body)).status;
      };
      return [
        await signed("application/json", grown.replace("xxxxxxxx", String(sent).padStart(8, "0"))),
        await signed("text/plain", escaped + String(sent)),
        (await call("POST", "/v1/events/fire", { event: "hostile.own", data: { text: "y".repeat(255_000), sent } }))
          .status,
        (await call("GET", "/v1/events?limit=100")).status,
        (await call("GET", "/v1/inbound-receipts?limit=100")).status,
      ];
    },
  };
}

/** Scripts without an end. */
function loops(): Attack {
  return {
    name: "endless scripts",
    async prepare({ call, hangingUrl }) {
      await call("POST", "/v1/webhook-endpoints", {
        url: `${hangingUrl}?script`,
        events: ["hostile.script"],
        transform: ENDLESS,
      });
    },
    strike: async ({ call }) => [
      (
        await call("POST", "/v1/events/batch", {
          events: Array.from({ length: 20 }, () => ({ event: "hostile.script", data: {} })),
        })
      ).status,
    ],
  };
}

/** Workflows that fire an event for each of many elements, which starts the next one. */
function workflows(): Attack {
  const lines = Array.from({ length: 100 }, (_, at) => at);
  return {
    name: "workflows",
    async prepare({ call }) {
      for (const [from, to] of [
        ["hostile.first", "flow.second"],
        ["flow.second", "flow.third"],
      ])
        await call("POST", "/v1/workflows", {
          name: `Loop ${from}`,
          trigger: { event: from },
          steps: [{ id: "loop", type: "for_each", in: lines, steps: [{ id: "tell", type: "fire_event", event: to }] }],
        });
    },
    strike: async ({ call }) => [(await call("POST", "/v1/events/fire", { event: "hostile.first", data: {} })).status],
  };
}

/** Runs that wait for one event with conditions that are dear for it. */
function waits(): Attack {
  const leaf = { field: "data.a", op: "contains", value: 1.5 };
  const match = { any: Array.from({ length: 99 }, () => leaf) };
  const data = `{"a":[${Array.from({ length: 9000 }, () => "1.50000000000000000001").join(",")}]}`;
  return {
    name: "waits",
    async prepare({ call }) {
      await call("POST", "/v1/workflows", {
        name: "Waits",
        trigger: { event: "waits.begin" },
        steps: [{ id: "wait", type: "wait_event", event: "waits.end", match, timeout_seconds: 3600 }],
      });
      const events = Array.from({ length: 200 }, () => ({ event: "waits.begin", data: {} }));
      await call("POST", "/v1/events/batch", { events });
    },
    strike: async ({ call }) => [
      (await call("POST", "/v1/events/fire", `{"event":"waits.end","data":${data}}`)).status,
    ],
  };
}

/** A customer with nothing but a portal link saves and tries scripts, and reads the log. */
function portal(): Attack {
  let headers: Record<string, string> = {};
  let script = "";
  return {
    name: "portal",
    async prepare({ call, raw, hangingUrl }) {
      const capabilities = ["endpoints", "deliveries", "replay", "transforms"];
      const { text } = await call("POST", "/v1/portal-sessions", { tenant: "mallory", capabilities });
      const token = /#token=(?<token>\w+)/.exec(text)?.groups?.["token"];
      const json = { "content-type": "application/json" };
      const opened = await raw("POST", "/v1/portal-sessions/exchange", json, JSON.stringify({ token }));
      const { credential } = JSON.parse(opened.text) as { readonly credential?: string };
      headers = { ...json, authorization: `Bearer ${credential ?? ""}` };
      const endpoint = { url: `${hangingUrl}?portal`, events: ["*"], transform: ENDLESS };
      script = `/v1/webhook-endpoints/${idOf(await raw("POST", "/v1/webhook-endpoints", headers, JSON.stringify(endpoint)))}/transform/test`;
    },
    async strike({ raw }) {
      const tried = JSON.stringify({ transform: ENDLESS, event: "order.created", data: {} });
      const answers = await Promise.all([
        ...Array.from({ length: 4 }, async () => await raw("POST", script, headers, tried)),
        ...Array.from({ length: 4 }, async () => await raw("GET", "/v1/deliveries?limit=100", headers)),
      ]);
      return answers.map(({ status }) => status);
    },
  };
}

/** Streams for every place there is, and as many again. */
function streams(): Attack {
  return {
    name: "streams",
    prepare: async () => await Promise.resolve(),
    strike: async ({ call }) =>
      await Promise.all(Array.from({ length: 30 }, async () => (await call("GET", "/v1/stream?max_seconds=2")).status)),
  };
}

/** Guesses of passwords and registrations of clients, without a credential. */
function strangers(): Attack {
  const json = { "content-type": "application/json" };
  const client = JSON.stringify({ client_name: "Made up", redirect_uris: ["https://client.example.com/back"] });
  let guesses = 0;
  const guess = (): string =>
    JSON.stringify({ email: `who${(guesses += 1)}@example.com`, password: `guess ${guesses}` });
  return {
    name: "strangers",
    prepare: async () => await Promise.resolve(),
    strike: async ({ raw }) =>
      await Promise.all([
        ...Array.from({ length: 4 }, async () => (await raw("POST", "/v1/auth/sign-in", json, guess())).status),
        ...Array.from({ length: 4 }, async () => (await raw("POST", "/oauth/register", json, client)).status),
      ]),
  };
}
