import { eventsOf } from "./event-type.ts";
import {
  ada,
  choice,
  count,
  currency,
  customer,
  day,
  entity,
  flag,
  list,
  money,
  object,
  orNull,
  text,
  time,
  url,
} from "./shapes.ts";

const invoice = entity("The invoice as it is after the event", {
  number: text("Printed invoice number"),
  status: text("Status, such as draft, open, paid, overdue or void"),
  currency,
  total_minor: money("Total, including taxes"),
  amount_due_minor: money("Amount still due"),
  due_on: day("Due date"),
  subscription_external_id: orNull(text("The subscription that the invoice is for, null without one")),
  url: url("URL of the invoice"),
});

const payment = entity("The payment as it is after the event", {
  status: text("Status, such as pending, completed, failed or refunded"),
  currency,
  amount_minor: money("Amount"),
  method: text("Payment method, such as card, sepa_debit or bank_transfer"),
  invoice_external_id: orNull(text("The invoice that was paid, null without one")),
  order_external_id: orNull(text("The order that was paid, null without one")),
});

const subscription = entity("The subscription as it is after the event", {
  plan: text("Key or name of the plan"),
  status: text("Status, such as trialing, active, past_due or cancelled"),
  currency,
  amount_minor: money("Price per period"),
  interval: choice("Length of a period", ["day", "week", "month", "year"]),
  quantity: count("Number of seats or units"),
  current_period_start: time("Start of the current period"),
  current_period_end: time("End of the current period"),
});

const failure = {
  failure_code: text("Error code of the payment processor"),
  failure_message: text("Error message of the payment processor"),
  attempt: count("Number of the attempt, counted from 1"),
  next_attempt_at: orNull(time("Time of the next attempt, null when there is none")),
};

const line = object("One item", {
  description: text("Description"),
  quantity: count("Quantity"),
  amount_minor: money("Amount of the line"),
});

const novemberInvoice = {
  external_id: "inv_20931",
  number: "2026-11-0931",
  status: "open",
  currency: "EUR",
  total_minor: 5880,
  amount_due_minor: 5880,
  due_on: "2026-12-04",
  subscription_external_id: "sub_3302",
  url: "https://billing.example.com/invoices/inv_20931",
} as const;

const cardPayment = {
  external_id: "pay_90177",
  status: "completed",
  currency: "EUR",
  amount_minor: 5880,
  method: "card",
  invoice_external_id: "inv_20931",
  order_external_id: null,
} as const;

const teamPlan = {
  external_id: "sub_3302",
  plan: "team-monthly",
  status: "active",
  currency: "EUR",
  amount_minor: 4900,
  interval: "month",
  quantity: 5,
  current_period_start: "2026-11-20T00:00:00.000Z",
  current_period_end: "2026-12-20T00:00:00.000Z",
} as const;

const declined = {
  failure_code: "insufficient_funds",
  failure_message: "The card has insufficient funds.",
  attempt: 1,
  next_attempt_at: "2026-11-23T06:00:00.000Z",
} as const;

export const billingEvents = eventsOf("billing", [
  {
    name: "invoice.created",
    description: "An invoice was issued to a customer.",
    data: { invoice, customer, lines: list("Lines of the invoice", line) },
    example: {
      invoice: novemberInvoice,
      customer: ada,
      lines: [{ description: "Team plan, November", quantity: 5, amount_minor: 4900 }],
    },
  },
  {
    name: "invoice.paid",
    description: "An invoice was paid in full.",
    data: {
      invoice,
      customer,
      payment_external_id: text("The payment that settled it"),
      paid_at: time("Time at which this happened"),
    },
    example: {
      invoice: { ...novemberInvoice, status: "paid", amount_due_minor: 0 },
      customer: ada,
      payment_external_id: "pay_90177",
      paid_at: "2026-11-20T06:00:12.000Z",
    },
  },
  {
    name: "invoice.payment_failed",
    description: "An attempt to collect an invoice failed. More attempts may follow.",
    data: { invoice, customer, ...failure },
    example: { invoice: novemberInvoice, customer: ada, ...declined },
  },
  {
    name: "invoice.overdue",
    description: "An invoice is overdue and not fully paid.",
    data: { invoice, customer, days_overdue: count("Days since the due date") },
    example: { invoice: { ...novemberInvoice, status: "overdue" }, customer: ada, days_overdue: 3 },
  },
  {
    name: "payment.completed",
    description: "A payment from a customer was received.",
    data: { payment, customer, completed_at: time("Time at which this happened") },
    example: { payment: cardPayment, customer: ada, completed_at: "2026-11-20T06:00:11.000Z" },
  },
  {
    name: "payment.failed",
    description: "A payment was declined, or was not completed.",
    data: { payment, customer, ...failure },
    example: { payment: { ...cardPayment, status: "failed" }, customer: ada, ...declined },
  },
  {
    name: "payment.refunded",
    description: "A payment was refunded in full or in part.",
    data: {
      payment,
      customer,
      refund: entity("The refund", {
        amount_minor: money("Refunded amount"),
        reason: text("Reason"),
        full: flag("Whether the full payment was refunded"),
      }),
      refunded_at: time("Time at which this happened"),
    },
    required: ["payment", "refund"],
    example: {
      payment: { ...cardPayment, status: "refunded" },
      customer: ada,
      refund: { external_id: "ref_1180", amount_minor: 5880, reason: "cancelled within 14 days", full: true },
      refunded_at: "2026-11-24T13:12:00.000Z",
    },
  },
  {
    name: "subscription.created",
    description: "A customer subscribed to a plan, with or without a trial.",
    data: { subscription, customer, trial_ends_at: orNull(time("End of the trial, null without one")) },
    example: {
      subscription: { ...teamPlan, status: "trialing" },
      customer: ada,
      trial_ends_at: "2026-12-04T00:00:00.000Z",
    },
  },
  {
    name: "subscription.renewed",
    description: "A new period of a subscription began.",
    data: {
      subscription,
      customer,
      invoice_external_id: text("The invoice for the new period"),
      renewed_at: time("Time at which this happened"),
    },
    example: {
      subscription: teamPlan,
      customer: ada,
      invoice_external_id: "inv_20931",
      renewed_at: "2026-11-20T00:00:00.000Z",
    },
  },
  {
    name: "subscription.cancelled",
    description: "A subscription was cancelled. It may continue to the end of its period.",
    data: {
      subscription,
      customer,
      reason: text("Reason"),
      at_period_end: flag("Whether access continues to the end of the paid period"),
      cancelled_at: time("Time of the cancellation"),
      ends_at: time("Time at which access ends"),
    },
    example: {
      subscription: { ...teamPlan, status: "cancelled" },
      customer: ada,
      reason: "moving to another tool",
      at_period_end: true,
      cancelled_at: "2026-11-25T16:40:00.000Z",
      ends_at: "2026-12-20T00:00:00.000Z",
    },
  },
  {
    name: "subscription.trial_ending",
    description: "A trial is about to end, usually in three days.",
    data: {
      subscription,
      customer,
      trial_ends_at: time("Time at which this happened"),
      has_payment_method: flag("Whether there is a payment method for the first payment"),
    },
    required: ["subscription", "trial_ends_at"],
    example: {
      subscription: { ...teamPlan, status: "trialing" },
      customer: ada,
      trial_ends_at: "2026-12-04T00:00:00.000Z",
      has_payment_method: false,
    },
  },
  {
    name: "dispute.opened",
    description: "A customer's bank disputes a payment.",
    data: {
      dispute: entity("The dispute", {
        reason: text("Reason that the bank gave"),
        currency,
        amount_minor: money("Disputed amount"),
        evidence_due_at: time("Deadline for evidence"),
      }),
      payment,
      customer,
    },
    example: {
      dispute: {
        external_id: "dsp_77",
        reason: "product_not_received",
        currency: "EUR",
        amount_minor: 5880,
        evidence_due_at: "2026-12-02T23:59:59.000Z",
      },
      payment: cardPayment,
      customer: ada,
    },
  },
]);
