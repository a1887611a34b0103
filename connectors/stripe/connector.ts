import { AbstractConnector } from "@junction/connector";
import type { Customer, HttpRequest, HttpResponse, Identity, Json, JsonObject, Run } from "@junction/connector";

/** What Stripe's events become. Those without a row are passed over. */
const REACTIONS: Readonly<Record<string, keyof Reactions>> = {
  "payment_intent.succeeded": "paymentCompleted",
  "payment_intent.payment_failed": "paymentFailed",
  "refund.created": "refunded",
  "refund.updated": "refunded",
  "invoice.paid": "invoicePaid",
  "invoice.payment_failed": "invoiceFailed",
  "customer.subscription.created": "subscriptionCreated",
  "customer.subscription.deleted": "subscriptionCancelled",
  "customer.subscription.trial_will_end": "trialEnding",
  "charge.dispute.created": "disputeOpened",
};
type Reactions = Pick<
  Stripe,
  | "paymentCompleted"
  | "paymentFailed"
  | "refunded"
  | "invoicePaid"
  | "invoiceFailed"
  | "subscriptionCreated"
  | "subscriptionCancelled"
  | "trialEnding"
  | "disputeOpened"
>;

/** Answers have the shape of this version, whatever the account's own is. */
const API_VERSION = "2025-03-31.basil";
const SHOWN_PAYMENTS = "10";
const DAY_SECONDS = 86_400;
/** Longer than a refund stays pending. */
const QUARTER_SECONDS = 90 * DAY_SECONDS;

export class Stripe extends AbstractConnector {
  override key(): string {
    return "stripe";
  }

  override identityProviders() {
    return { stripe: "findCustomer" };
  }

  override contextProviders() {
    return { payments: "paymentsOf" };
  }

  override registerActions() {
    return { "stripe.refund": "refund" };
  }

  /** Verified by its signature, and given once for each event of Stripe's. */
  override async handleWebhook(body: JsonObject): Promise<void> {
    const reaction = REACTIONS[textOf(body["type"]) ?? ""];
    if (reaction === undefined) {
      this.log("debug", `Stripe's ${textOf(body["type"]) ?? "event without a type"} is passed over.`);
      return;
    }
    await this[reaction](recordOf(recordOf(body["data"])["object"]), timeOf(body["created"]) ?? this.now());
  }

  async paymentCompleted(intent: JsonObject, at: string): Promise<void> {
    const received = intent["amount_received"] ?? intent["amount"];
    const payment = { ...paymentFrom(intent, "completed"), ...told({ amount_minor: received }) };
    await this.fire("payment.completed", { payment, ...this.customerOf(intent), completed_at: at });
  }

  async paymentFailed(intent: JsonObject): Promise<void> {
    const error = recordOf(intent["last_payment_error"]);
    await this.fire("payment.failed", {
      payment: paymentFrom(intent, "failed"),
      ...this.customerOf(intent),
      ...told({ failure_code: error["decline_code"] ?? error["code"], failure_message: error["message"] }),
    });
  }

  /** A refund may succeed at once or later: it is told once, when it has. */
  async refunded(refund: JsonObject, at: string): Promise<void> {
    const id = textOf(refund["id"]) ?? "";
    if (refund["status"] !== "succeeded" || (await this.kv.get(`refund:${id}`)) !== null) return;
    const payment = textOf(refund["payment_intent"]) ?? textOf(refund["charge"]) ?? "";
    const data = {
      payment: told({ external_id: payment, status: "refunded", currency: currencyOf(refund) }),
      refund: told({ external_id: id, amount_minor: refund["amount"], reason: refund["reason"] }),
      refunded_at: at,
    };
    await this.fire("payment.refunded", data);
    await this.kv.set(`refund:${id}`, at, { ttl_seconds: QUARTER_SECONDS });
  }

  async invoicePaid(invoice: JsonObject, at: string): Promise<void> {
    const paid = recordOf(invoice["status_transitions"])["paid_at"];
    await this.fire("invoice.paid", {
      invoice: invoiceFrom(invoice, "paid"),
      ...this.customerOf(invoice),
      ...told({ payment_external_id: textOf(invoice["payment_intent"]) }),
      paid_at: timeOf(paid) ?? at,
    });
  }

  async invoiceFailed(invoice: JsonObject): Promise<void> {
    await this.fire("invoice.payment_failed", {
      invoice: invoiceFrom(invoice, "open"),
      ...this.customerOf(invoice),
      ...told({ attempt: invoice["attempt_count"], next_attempt_at: timeOf(invoice["next_payment_attempt"]) ?? null }),
    });
  }

  async subscriptionCreated(subscription: JsonObject): Promise<void> {
    await this.fire("subscription.created", {
      subscription: subscriptionFrom(subscription),
      ...this.customerOf(subscription),
      trial_ends_at: timeOf(subscription["trial_end"]) ?? null,
    });
  }

  async subscriptionCancelled(subscription: JsonObject, at: string): Promise<void> {
    const details = recordOf(subscription["cancellation_details"]);
    await this.fire("subscription.cancelled", {
      subscription: { ...subscriptionFrom(subscription), status: "cancelled" },
      ...this.customerOf(subscription),
      ...told({ reason: textOf(details["feedback"]) ?? textOf(details["reason"]) }),
      cancelled_at: timeOf(subscription["canceled_at"]) ?? at,
      ends_at: timeOf(subscription["ended_at"]) ?? at,
    });
  }

  async trialEnding(subscription: JsonObject, at: string): Promise<void> {
    await this.fire("subscription.trial_ending", {
      subscription: subscriptionFrom(subscription),
      ...this.customerOf(subscription),
      trial_ends_at: timeOf(subscription["trial_end"]) ?? at,
      has_payment_method: textOf(subscription["default_payment_method"]) !== undefined,
    });
  }

  async disputeOpened(dispute: JsonObject): Promise<void> {
    const payment = textOf(dispute["payment_intent"]) ?? textOf(dispute["charge"]);
    await this.fire("dispute.opened", {
      dispute: told({
        external_id: dispute["id"],
        reason: dispute["reason"],
        currency: currencyOf(dispute),
        amount_minor: dispute["amount"],
        evidence_due_at: timeOf(recordOf(dispute["evidence_details"])["due_by"]),
      }),
      ...(payment === undefined ? {} : { payment: { external_id: payment } }),
    });
  }

  /** Somebody by Stripe's customer id or e-mail address. */
  async findCustomer(identifier: string): Promise<Identity | null> {
    const found = identifier.includes("@")
      ? listOf(await this.read("/v1/customers", { email: identifier, limit: "1" }))[0]
      : await this.readOrNothing(`/v1/customers/${encodeURIComponent(identifier)}`);
    if (found === undefined || found["deleted"] === true) return null;
    return told({
      external_id: this.ownId(found) ?? textOf(found["id"]),
      email: textOf(found["email"]),
      phone: textOf(found["phone"]),
      name: textOf(found["name"]),
    });
  }

  /** The last payments, newest first. */
  async paymentsOf(customer: Customer): Promise<JsonObject[]> {
    const id = await this.stripeIdOf(customer);
    if (id === undefined) return [];
    const charges = listOf(await this.read("/v1/charges", { customer: id, limit: SHOWN_PAYMENTS }));
    return charges.map((charge) =>
      told({
        external_id: textOf(charge["payment_intent"]) ?? textOf(charge["id"]),
        amount_minor: charge["amount"],
        refunded_minor: charge["amount_refunded"],
        currency: currencyOf(charge),
        status: charge["status"],
        description: charge["description"],
        receipt_url: charge["receipt_url"],
        created_at: timeOf(charge["created"]),
      }),
    );
  }

  async refund(parameters: JsonObject, run: Run): Promise<JsonObject> {
    const payment = textOf(parameters["payment_id"]) ?? "";
    const { amount_minor: amount, reason } = parameters;
    const refund = await this.call({
      method: "POST",
      url: this.address("/v1/refunds"),
      // The same for every try of one run: Stripe pays back once.
      headers: { "Idempotency-Key": run.idempotency_key },
      form: {
        [payment.startsWith("pi_") ? "payment_intent" : "charge"]: payment,
        ...(typeof amount === "number" ? { amount: String(amount) } : {}),
        ...(typeof reason === "string" ? { reason } : {}),
        "metadata[junction_run]": run.id,
      },
    });
    return told({
      refund_id: refund["id"],
      payment_id: payment,
      status: refund["status"],
      amount_minor: refund["amount"],
      currency: currencyOf(refund),
    });
  }

  async tryAccess(): Promise<JsonObject> {
    const balance = await this.read("/v1/balance", {});
    const mode = balance["livemode"] === true ? "live mode" : "test mode";
    return { ok: true, message: `Stripe accepts the secret key, in ${mode}.` };
  }

  /** `customer` of an event, where Stripe names one. */
  private customerOf(object: JsonObject): { readonly customer?: JsonObject } {
    const expanded = recordOf(object["customer"]);
    const id = this.ownId(object) ?? this.ownId(expanded) ?? textOf(object["customer"]) ?? textOf(expanded["id"]);
    if (id === undefined) return {};
    const email = textOf(object["customer_email"]) ?? textOf(object["receipt_email"]) ?? textOf(expanded["email"]);
    const name = textOf(object["customer_name"]) ?? textOf(expanded["name"]);
    return { customer: told({ external_id: id, email, name }) };
  }

  /** The id that your own system gave, where its metadata has it. */
  private ownId(object: JsonObject): string | undefined {
    return textOf(recordOf(object["metadata"])[textOf(this.settings("external_id_metadata")) ?? "external_id"]);
  }

  /** Found by an external id that is Stripe's, else by address. Kept for a day, since providers have little time. */
  private async stripeIdOf({ id, external_ids: externalIds, email }: Customer): Promise<string | undefined> {
    const kept = await this.kv.get(`customer:${id}`);
    if (typeof kept === "string") return kept;
    for (const own of externalIds) {
      if (!/^cus_[A-Za-z0-9]{8,}$/.test(own)) continue;
      const found = await this.readOrNothing(`/v1/customers/${own}`);
      if (found !== undefined) return await this.keepId(id, own);
    }
    if (email === null) return undefined;
    const [found] = listOf(await this.read("/v1/customers", { email, limit: "1" }));
    const theirs = textOf(found?.["id"]);
    return theirs === undefined ? undefined : await this.keepId(id, theirs);
  }

  private async keepId(contactId: string, stripeId: string): Promise<string> {
    await this.kv.set(`customer:${contactId}`, stripeId, { ttl_seconds: DAY_SECONDS });
    return stripeId;
  }

  private async read(path: string, query: Readonly<Record<string, string>>): Promise<JsonObject> {
    const search = new URLSearchParams(query).toString();
    return await this.call({ method: "GET", url: this.address(search === "" ? path : `${path}?${search}`) });
  }

  private async readOrNothing(path: string): Promise<JsonObject | undefined> {
    const answer = await this.ask({ method: "GET", url: this.address(path) });
    return answer.status === 404 ? undefined : resultOf(answer);
  }

  private async call(request: HttpRequest): Promise<JsonObject> {
    return resultOf(await this.ask(request));
  }

  private async ask(request: HttpRequest): Promise<HttpResponse> {
    const headers = { ...request.headers, "Stripe-Version": API_VERSION };
    return await this.http({ ...request, headers, auth: "settings.api_key" });
  }

  private address(path: string): string {
    return `${String(this.settings("base_url")).replace(/\/+$/, "")}${path}`;
  }
}

function resultOf({ status, json }: HttpResponse): JsonObject {
  if (status >= 200 && status < 300) return recordOf(json);
  const error = recordOf(recordOf(json)["error"]);
  const code = textOf(error["code"]);
  if (status === 401) throw new Error("Stripe refuses the secret key: set api_key to one of the Dashboard's API keys.");
  if (status === 403)
    throw new Error("Stripe's key may not do this: give the restricted key charges, customers and refunds.");
  if (status === 429 || status >= 500) throw new Error(`Stripe is busy (HTTP ${status}); it is tried again.`);
  throw new Error(
    `Stripe refuses: ${textOf(error["message"]) ?? `HTTP ${status}`}${code === undefined ? "" : ` (${code})`}`,
  );
}

function paymentFrom(intent: JsonObject, status: string): JsonObject {
  const [method] = Array.isArray(intent["payment_method_types"]) ? intent["payment_method_types"] : [];
  return told({
    external_id: intent["id"],
    status,
    currency: currencyOf(intent),
    amount_minor: intent["amount"],
    method,
    invoice_external_id: textOf(intent["invoice"]),
    order_external_id: textOf(recordOf(intent["metadata"])["order_id"]),
  });
}

function invoiceFrom(invoice: JsonObject, status: string): JsonObject {
  const parent = recordOf(recordOf(invoice["parent"])["subscription_details"]);
  return told({
    external_id: invoice["id"],
    number: textOf(invoice["number"]),
    status: textOf(invoice["status"]) ?? status,
    currency: currencyOf(invoice),
    total_minor: invoice["total"],
    amount_due_minor: invoice["amount_remaining"],
    due_on: timeOf(invoice["due_date"])?.slice(0, "YYYY-MM-DD".length),
    subscription_external_id: textOf(invoice["subscription"]) ?? textOf(parent["subscription"]) ?? null,
    url: textOf(invoice["hosted_invoice_url"]),
  });
}

function subscriptionFrom(subscription: JsonObject): JsonObject {
  const [item = {}] = listOf(recordOf(subscription["items"]));
  const price = recordOf(item["price"]);
  const [start, end] = ["current_period_start", "current_period_end"].map((name) =>
    timeOf(item[name] ?? subscription[name]),
  );
  return told({
    external_id: subscription["id"],
    plan: textOf(price["lookup_key"]) ?? textOf(price["nickname"]) ?? textOf(price["id"]),
    status: subscription["status"],
    currency: currencyOf(subscription),
    amount_minor: price["unit_amount"],
    interval: recordOf(price["recurring"])["interval"],
    quantity: item["quantity"],
    current_period_start: start,
    current_period_end: end,
  });
}

/** Stripe writes currencies in small letters. */
function currencyOf(object: JsonObject): string | undefined {
  return textOf(object["currency"])?.toUpperCase();
}

/** Seconds since 1970 as RFC 3339. */
function timeOf(value: Json | undefined): string | undefined {
  return typeof value === "number" ? new Date(value * 1000).toISOString() : undefined;
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function recordOf(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

function listOf({ data }: JsonObject): JsonObject[] {
  return Array.isArray(data) ? data.map(recordOf) : [];
}

/** Without what nobody knows. */
function told(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonObject;
}
