import type { EventName, NewEventType, NewWebhookEndpoint } from "../../../../sdks/node/src/index.ts";

/** Marks the demo's objects in names, keys, descriptions and addresses. */
export const PREFIX = "demo-";
export const CONTRACT_PREFIX = "demo.";
export const MAIL_DOMAIN = "@demo.junction.example";

export function titled(about: string): string {
  return `Demo: ${about}`;
}

export interface InboxScene {
  readonly name: string;
  readonly about: string;
  readonly events: readonly string[];
  /** The body that the endpoint gets instead of the usual one. */
  readonly transform?: NonNullable<NewWebhookEndpoint["transform"]>;
  /** The customer whose portal shows the endpoint. Without one, the endpoint is the workspace's own. */
  readonly tenant?: string;
  /** The key by which the order of its deliveries is kept. */
  readonly ordering?: NonNullable<NewWebhookEndpoint["ordering"]>;
  /** The waits before its retries, in seconds. Without them, those of the installation. */
  readonly retry_schedule?: number[];
  /** The condition on the events that the endpoint gets. */
  readonly filter?: NonNullable<NewWebhookEndpoint["filter"]>;
  readonly behaviour: { readonly status: number; readonly delay_ms: number; readonly fail_times: number };
}

const [ACME, GLOBEX] = [`${PREFIX}acme`, `${PREFIX}globex`];

export const INBOXES: readonly InboxScene[] = [
  {
    name: "shop",
    about: "shop (accepts everything)",
    events: ["*"],
    behaviour: { status: 200, delay_ms: 0, fail_times: 0 },
  },
  {
    name: "ledger",
    about: "ledger (fails twice, then recovers)",
    events: ["demo.order.paid"],
    behaviour: { status: 200, delay_ms: 0, fail_times: 2 },
  },
  {
    name: "warehouse",
    about: "warehouse (down)",
    events: ["demo.order.created"],
    behaviour: { status: 503, delay_ms: 0, fail_times: 0 },
  },
  {
    name: "reports",
    about: "reports (slow, only orders above 40)",
    events: ["demo.order.created"],
    filter: { field: "$.data.order.total_minor", op: "gt", value: 4000 },
    transform: {
      kind: "template",
      body: { text: "New order ${$.data.order.external_id}", total_minor: "${$.data.order.total_minor}" },
    },
    behaviour: { status: 200, delay_ms: 4000, fail_times: 0 },
  },
  {
    name: "fulfilment",
    about: "fulfilment (order by order, blocked)",
    events: ["demo.order.created", "demo.order.paid"],
    ordering: { key: "$.data.order.external_id" },
    retry_schedule: [1],
    behaviour: { status: 500, delay_ms: 0, fail_times: 0 },
  },
  {
    name: "acme-crm",
    about: "acme's own system (accepts everything)",
    tenant: ACME,
    events: ["demo.order.created", "demo.order.paid"],
    behaviour: { status: 200, delay_ms: 0, fail_times: 0 },
  },
  {
    name: "globex-erp",
    about: "globex's own system (down)",
    tenant: GLOBEX,
    events: ["demo.order.created"],
    behaviour: { status: 500, delay_ms: 0, fail_times: 0 },
  },
];

/** An endpoint whose messages are pulled, and a consumer that has read some of them. */
export const PULLED = {
  about: "label printer (pulls its messages)",
  events: ["demo.order.created"],
  consumer: `${PREFIX}printer`,
  read: 4,
} as const;

interface DemoEvent {
  readonly event: EventName;
  /** The customer that the order belongs to. */
  readonly tenant: string;
  readonly data: { readonly [name: string]: unknown };
}

const ORDERS = ["10481", "10482", "10483", "10484", "10485", "10486"];

/** Creates a new array for each call, because the sender of a batch owns it. */
export function EVENTS(): DemoEvent[] {
  return ORDERS.flatMap((order, at): DemoEvent[] => {
    const data = { order: { external_id: order, total_minor: 1900 + at * 1250, currency: "EUR" } };
    const tenant = at < 3 ? ACME : GLOBEX;
    const more: DemoEvent[] = at % 2 === 0 ? [{ event: "demo.order.paid", data, tenant }] : [];
    return [{ event: "demo.order.created", data, tenant }, ...more];
  });
}

const PAID = "demo.order.paid";
const ORDER = {
  type: "object",
  required: ["external_id", "total_minor"],
  properties: {
    external_id: { type: "string", description: "Your number of the order." },
    total_minor: { type: "integer", minimum: 0, description: "The amount in cents." },
    currency: { type: "string", enum: ["EUR", "USD"] },
  },
};

/** An event type, only in the live environment, because both environments share event types. */
export const TYPE: NewEventType = {
  name: PAID,
  title: titled("an order was paid"),
  enforcement: "warn",
  visibility: "public",
  schema: { type: "object", required: ["order"], properties: { order: ORDER } },
};

/** The second version of the type, whose orders have a currency. */
export const TYPE_VERSION = {
  schema: {
    type: "object",
    required: ["order"],
    properties: { order: { ...ORDER, required: [...ORDER.required, "currency"] } },
  },
  examples: [{ order: { external_id: "10481", total_minor: 1900, currency: "EUR" } }],
};

/** An event that does not match the type: it has no currency, and its amount is a text. */
export function MISMATCH(): DemoEvent {
  return { event: PAID, data: { order: { external_id: "10487", total_minor: "12.50" } }, tenant: GLOBEX };
}

export const RULE = {
  name: titled("tag people who spend more than 100"),
  on: ["inbound.invoice.paid"],
  when: { field: "$.data.value", op: "gt", value: 100 },
  then: [{ type: "add_tag" as const, tag: "demo-high-value" }],
  enabled: true,
};

export const SOURCE = {
  name: titled("payment processor"),
  contact_email_path: "$.email",
  event_type_path: "$.type",
  idempotency_key_path: "$.id",
  contact_name_path: "$.name",
  value_path: "$.amount",
  summary_path: "$.text",
  score: { default: 1, by_event_type: { "invoice.paid": 10 } },
};

export interface Inbound {
  readonly body: string;
  readonly email: string;
  readonly isForged: boolean;
  readonly makesContact: boolean;
}

const PEOPLE = ["Ada Lovelace", "Alan Turing", "Grace Hopper", "Katherine Johnson", "Mary Jackson"];

/**
 * Returns bodies for receipts of every kind: accepted, a duplicate, without the mapped values, and with a wrong
 * signature.
 */
export function inboundBodies(): Inbound[] {
  const good = PEOPLE.flatMap((name, at) => [
    inbound(name, { id: `demo_${at}_signup`, type: "account.opened", text: `${name} opened an account` }),
    inbound(name, {
      id: `demo_${at}_paid`,
      type: "invoice.paid",
      amount: 40 + at * 35,
      text: `${name} paid an invoice`,
    }),
  ]);
  const [first] = good;
  const copies = first === undefined ? [] : [first];
  const unmapped = { ...inbound("Una", { id: "demo_unmapped", note: "no type" }), makesContact: false };
  const forged = {
    ...inbound("Mallory", { id: "demo_forged", type: "invoice.paid" }),
    isForged: true,
    makesContact: false,
  };
  return [...good, ...copies, unmapped, forged];
}

function inbound(name: string, more: object): Inbound {
  const email = `${name.toLowerCase().replaceAll(" ", ".")}${MAIL_DOMAIN}`;
  return { body: JSON.stringify({ email, name, ...more }), email, isForged: false, makesContact: true };
}

const ROLES = ["owner", "admin", "developer", "operator"] as const;

export const CONTRACTS = [
  {
    contract: {
      key: `${CONTRACT_PREFIX}refund_payment`,
      label: titled("refund a payment"),
      surface: ["api" as const, "console" as const],
      roles: [...ROLES],
      requires_confirmation: true,
      audit: true,
      risk: "medium" as const,
      params: {
        payment_id: { type: "string" as const, required: true, max: 64 },
        reason: { type: "string" as const, max: 500 },
      },
    },
    asks: [
      { parameters: { payment_id: "pay_10482", reason: "ordered twice" }, prompt: "The customer ordered twice." },
      { parameters: { payment_id: "pay_10483", reason: "arrived broken" }, prompt: "The cup arrived broken." },
    ],
  },
  {
    contract: {
      key: `${CONTRACT_PREFIX}close_account`,
      label: titled("close an account"),
      surface: ["api" as const, "console" as const],
      roles: [...ROLES],
      requires_confirmation: true,
      audit: true,
      risk: "high" as const,
      destructive: true,
      params: { customer_id: { type: "string" as const, required: true, max: 64 } },
    },
    asks: [{ parameters: { customer_id: "cus_2207" }, prompt: "The customer asked by letter." }],
  },
];
