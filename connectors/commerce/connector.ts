import { AbstractConnector } from "@junction/connector";
import type { Customer, Identity, Json, JsonObject, WebhookRequest } from "@junction/connector";

/** Shopify's versions live a year; this is asked for by name, so that answers keep their shape. */
const API_VERSION = "2026-07";
const SHOWN_ORDERS = 10;

type Members = Readonly<Record<string, Json | undefined>>;

const ORDERS = `query ($query: String!, $first: Int!) {
  orders(first: $first, query: $query, sortKey: CREATED_AT, reverse: true) {
    nodes {
      id name createdAt cancelledAt displayFinancialStatus displayFulfillmentStatus
      totalPriceSet { shopMoney { amount currencyCode } }
    }
  }
}`;
const CUSTOMERS = `query ($query: String!) {
  customers(first: 2, query: $query) { nodes { id displayName email phone } }
}`;
const SHOP = "{ shop { name } }";

export class Commerce extends AbstractConnector {
  override key(): string {
    return "commerce";
  }

  override identityProviders() {
    return { commerce: "findCustomer" };
  }

  override contextProviders() {
    return { orders: "ordersOf" };
  }

  /** What happened stands in a header; the body is the order or customer as it is now. */
  override async handleWebhook(body: JsonObject, request: WebhookRequest): Promise<void> {
    const topic = request.headers["x-shopify-topic"] ?? "";
    const reaction = TOPICS[topic];
    if (reaction === undefined) {
      this.log("debug", `The topic ${topic} is passed over.`);
      return;
    }
    await this.fire(reaction.event, { ...reaction.data(body, momentOf(body["updated_at"]) ?? this.now()) });
  }

  /** Somebody by Shopify's customer id or e-mail address. */
  async findCustomer(identifier: string): Promise<Identity | null> {
    const query = identifier.includes("@") ? `email:${quoted(identifier)}` : `id:${quoted(identifier)}`;
    const found = nodesOf(recordOf(await this.ask(CUSTOMERS, { query }))["customers"]);
    const [customer] = found;
    if (customer === undefined || found.length > 1) return null;
    return told({
      external_id: idOf(customer["id"]),
      email: textOf(customer["email"]),
      phone: textOf(customer["phone"]),
      name: textOf(customer["displayName"]),
    });
  }

  /** The last orders, newest first. */
  async ordersOf({ email }: Customer): Promise<JsonObject[]> {
    if (email === null) return [];
    const found = await this.ask(ORDERS, { query: `email:${quoted(email)}`, first: SHOWN_ORDERS });
    return nodesOf(recordOf(found)["orders"]).map((order) => {
      const price = recordOf(recordOf(order["totalPriceSet"])["shopMoney"]);
      const currency = textOf(price["currencyCode"]);
      return told({
        external_id: idOf(order["id"]),
        number: textOf(order["name"])?.replace(/^#/, ""),
        status: statusOf(order),
        currency,
        total_minor: minorOf(price["amount"], currency),
        placed_at: textOf(order["createdAt"]),
      });
    });
  }

  async tryAccess(): Promise<JsonObject> {
    const shop = recordOf(recordOf(await this.ask(SHOP, {}))["shop"]);
    return { ok: true, message: `Shopify takes the token, for the shop ${textOf(shop["name"]) ?? "without a name"}.` };
  }

  /** A query of the Admin API. */
  private async ask(query: string, variables: JsonObject): Promise<Json> {
    const base = String(this.settings("shop_url")).replace(/\/+$/, "");
    const { status, json } = await this.http({
      method: "POST",
      url: `${base}/admin/api/${API_VERSION}/graphql.json`,
      auth: { header: "X-Shopify-Access-Token", secret: "settings.access_token" },
      json: { query, variables },
    });
    return dataOf(status, recordOf(json));
  }
}

function dataOf(status: number, { data, errors }: JsonObject): Json {
  if (status === 401 || status === 403)
    throw new Error(
      "Shopify refuses the token: set access_token to that of a custom app with read_customers and read_orders.",
    );
  if (status === 404) throw new Error("There is no such shop: set shop_url to https://<name>.myshopify.com.");
  const fault = Array.isArray(errors) ? recordOf(errors[0]) : {};
  if (isBusy(status, fault)) throw new Error(`Shopify is busy (HTTP ${status}); it is tried again.`);
  if (errors !== undefined || data === undefined)
    throw new Error(`Shopify refuses: ${textOf(fault["message"]) ?? `HTTP ${status}`}`);
  return data;
}

function isBusy(status: number, fault: JsonObject): boolean {
  return status === 429 || status >= 500 || recordOf(fault["extensions"])["code"] === "THROTTLED";
}

/** An event's data, of an order or customer as it was at a time. */
type Telling = (body: JsonObject, at: string) => JsonObject;

const customerData: Telling = (body) => ({ customer: customerFrom(body) });

function orderData(more: (body: JsonObject, at: string) => Members): Telling {
  return (body, at) => {
    const customer = recordOf(body["customer"]);
    const hasCustomer = idOf(customer["id"]) !== undefined;
    return {
      order: orderFrom(body),
      ...(hasCustomer ? { customer: customerFrom({ email: body["email"] ?? null, ...customer }) } : {}),
      ...told(more(body, at)),
    };
  };
}

/** What Shopify's topics become. Those without a row are passed over. */
const TOPICS: Readonly<Record<string, { readonly event: string; readonly data: Telling }>> = {
  "customers/create": { event: "customer.signed_up", data: customerData },
  "customers/update": { event: "customer.updated", data: customerData },
  "orders/create": {
    event: "order.created",
    data: orderData((body) => ({ placed_at: momentOf(body["created_at"]) })),
  },
  "orders/updated": { event: "order.updated", data: orderData(() => ({})) },
  "orders/paid": { event: "order.paid", data: orderData((_body, at) => ({ paid_at: at })) },
  "orders/fulfilled": { event: "order.shipped", data: orderData(shipmentFrom) },
  "orders/cancelled": { event: "order.cancelled", data: orderData(cancellationFrom) },
};

function orderFrom(body: JsonObject): JsonObject {
  const currency = textOf(body["currency"]);
  const lines = Array.isArray(body["line_items"]) ? body["line_items"].map(recordOf) : [];
  const to = recordOf(body["shipping_address"]);
  return told({
    external_id: idOf(body["id"]),
    number: idOf(body["order_number"]),
    status: statusFrom(body),
    currency,
    total_minor: minorOf(body["total_price"], currency),
    items: lines.map((line) =>
      told({
        sku: textOf(line["sku"]),
        name: textOf(line["name"]) ?? textOf(line["title"]),
        quantity: line["quantity"],
        unit_price_minor: minorOf(line["price"], currency),
      }),
    ),
    shipping_address:
      body["shipping_address"] === null || body["shipping_address"] === undefined
        ? undefined
        : told({
            line1: textOf(to["address1"]),
            line2: textOf(to["address2"]),
            city: textOf(to["city"]),
            postal_code: textOf(to["zip"]),
            country: textOf(to["country_code"]),
          }),
  });
}

function statusFrom(body: JsonObject): string {
  if (textOf(body["cancelled_at"]) !== undefined) return "cancelled";
  if (body["fulfillment_status"] === "fulfilled") return "shipped";
  return body["financial_status"] === "paid" ? "paid" : "open";
}

function statusOf(order: JsonObject): string {
  if (textOf(order["cancelledAt"]) !== undefined) return "cancelled";
  if (order["displayFulfillmentStatus"] === "FULFILLED") return "shipped";
  return order["displayFinancialStatus"] === "PAID" ? "paid" : "open";
}

function customerFrom(customer: JsonObject): JsonObject {
  const names = [textOf(customer["first_name"]), textOf(customer["last_name"])].filter((one) => one !== undefined);
  return told({
    external_id: idOf(customer["id"]),
    email: textOf(customer["email"]),
    name: names.length === 0 ? undefined : names.join(" "),
  });
}

function shipmentFrom(body: JsonObject, at: string): Members {
  const shipments = Array.isArray(body["fulfillments"]) ? body["fulfillments"].map(recordOf) : [];
  const last = shipments.at(-1) ?? {};
  return {
    carrier: textOf(last["tracking_company"]),
    tracking_number: textOf(last["tracking_number"]),
    tracking_url: textOf(last["tracking_url"]),
    shipped_at: momentOf(last["created_at"]) ?? at,
  };
}

function cancellationFrom(body: JsonObject, at: string): Members {
  const reason = textOf(body["cancel_reason"]);
  return {
    reason,
    cancelled_by: reason === "customer" ? "customer" : "merchant",
    cancelled_at: momentOf(body["cancelled_at"]) ?? at,
  };
}

/** "106.90" of EUR is 10690, of JPY "107" is 107: by its digits, so that nothing is rounded. */
function minorOf(amount: Json | undefined, currency: string | undefined): number | undefined {
  const [, sign = "", whole, part = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(textOf(amount) ?? "") ?? [];
  if (whole === undefined || currency === undefined) return undefined;
  const digits = digitsOf(currency);
  const minor = Number(`${sign}${whole}${part.padEnd(digits, "0").slice(0, digits)}`);
  return Number.isSafeInteger(minor) ? minor : undefined;
}

function digitsOf(currency: string): number {
  try {
    return new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2;
  } catch {
    return 2;
  }
}

/** Shopify writes times with the shop's zone. */
function momentOf(value: Json | undefined): string | undefined {
  const text = textOf(value);
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

/** A number, or the last part of gid://shopify/Order/450789469. */
function idOf(value: Json | undefined): string | undefined {
  if (typeof value === "number") return String(value);
  return textOf(value)?.split("/").at(-1);
}

/** In Shopify's search, where a quote or colon would say something else. */
function quoted(text: string): string {
  return `"${text.replaceAll(/[\\"]/g, String.raw`\$&`)}"`;
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function recordOf(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

function nodesOf(value: Json | undefined): JsonObject[] {
  const { nodes } = recordOf(value);
  return Array.isArray(nodes) ? nodes.map(recordOf) : [];
}

/** Without what nobody knows. */
function told(members: Members): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonObject;
}
