// Made from openapi/openapi.json by tools/generate-sdks.ts; changes are lost.

import type * as t from "./types.ts";

/** The data of the events that a caller fires. */
export interface CanonicalEvents {
  /** A customer placed an order. It need not be paid yet. */
  "order.created": t.OrderCreatedData;
  /** Lines, address or amounts of an order changed after it was placed. */
  "order.updated": t.OrderUpdatedData;
  /** The whole amount of an order has been paid. */
  "order.paid": t.OrderPaidData;
  /** An order, or the last part of it, left the warehouse. */
  "order.shipped": t.OrderShippedData;
  /** The carrier handed the order over. */
  "order.delivered": t.OrderDeliveredData;
  /** An order was called off before it was delivered. */
  "order.cancelled": t.OrderCancelledData;
  /** Goods of an order came back, all of them or some. */
  "order.returned": t.OrderReturnedData;
  /** A filled cart has not been touched for as long as your shop waits. */
  "cart.abandoned": t.CartAbandonedData;
  /** A customer went through the checkout to its end. */
  "checkout.completed": t.CheckoutCompletedData;
  /** A product was added to the catalogue. */
  "product.created": t.ProductCreatedData;
  /** The last piece of a product was sold or reserved. */
  "product.out_of_stock": t.ProductOutOfStockData;
  /** An invoice was issued to a customer. */
  "invoice.created": t.InvoiceCreatedData;
  /** Nothing is left to pay on an invoice. */
  "invoice.paid": t.InvoicePaidData;
  /** An attempt to collect an invoice failed. More may follow. */
  "invoice.payment_failed": t.InvoicePaymentFailedData;
  /** An invoice passed its due day with something left to pay. */
  "invoice.overdue": t.InvoiceOverdueData;
  /** Money arrived from a customer. */
  "payment.completed": t.PaymentCompletedData;
  /** A payment was declined or broke off. */
  "payment.failed": t.PaymentFailedData;
  /** A payment was paid back, all of it or a part. */
  "payment.refunded": t.PaymentRefundedData;
  /** A customer subscribed to a plan, with a trial or without. */
  "subscription.created": t.SubscriptionCreatedData;
  /** A new period of a subscription began. */
  "subscription.renewed": t.SubscriptionRenewedData;
  /** A subscription was cancelled; it may run on to the end of its period. */
  "subscription.cancelled": t.SubscriptionCancelledData;
  /** A trial is about to end, usually three days ahead. */
  "subscription.trial_ending": t.SubscriptionTrialEndingData;
  /** A customer's bank disputes a payment. */
  "dispute.opened": t.DisputeOpenedData;
  /** A customer, or someone on a customer's behalf, opened a ticket. */
  "ticket.created": t.TicketCreatedData;
  /** Status, priority, subject or another field of a ticket changed. */
  "ticket.updated": t.TicketUpdatedData;
  /** A ticket got an assignee, or another one. */
  "ticket.assigned": t.TicketAssignedData;
  /** The customer or an agent wrote on a ticket. */
  "ticket.replied": t.TicketRepliedData;
  /** A ticket was handed to a higher level, by hand or because time ran out. */
  "ticket.escalated": t.TicketEscalatedData;
  /** A ticket was marked as solved. */
  "ticket.resolved": t.TicketResolvedData;
  /** A resolved or closed ticket became active again. */
  "ticket.reopened": t.TicketReopenedData;
  /** A customer rated the support. */
  "csat.received": t.CsatReceivedData;
  /** Somebody made an account. */
  "customer.signed_up": t.CustomerSignedUpData;
  /** Name, e-mail, stage or another field of a customer changed. */
  "customer.updated": t.CustomerUpdatedData;
  /** A customer's account was removed. */
  "customer.deleted": t.CustomerDeletedData;
  /** A person became known, as a lead or otherwise, with an account or without. */
  "contact.created": t.ContactCreatedData;
  /** What is known of a person changed. */
  "contact.updated": t.ContactUpdatedData;
  /** A contact moved to another lifecycle stage; `customer.lifecycle_stage` is the new one. */
  "contact.lifecycle_changed": t.ContactLifecycleChangedData;
  /** A deal was opened in the CRM. */
  "crm.deal.created": t.CrmDealCreatedData;
  /** A deal moved to another stage of its pipeline; `deal.stage` is the new one. */
  "crm.deal.stage_changed": t.CrmDealStageChangedData;
  /** A deal was closed with success. */
  "crm.deal.won": t.CrmDealWonData;
  /** A deal was closed without success. */
  "crm.deal.lost": t.CrmDealLostData;
  /** Somebody could not sign in to your platform. */
  "security.login_failed": t.SecurityLoginFailedData;
  /** Something happened that a person should look at. */
  "security.suspicious_activity": t.SecuritySuspiciousActivityData;
  /** A key of your platform was withdrawn. */
  "security.api_key_revoked": t.SecurityApiKeyRevokedData;
  /** Somebody was given rights, or lost them. */
  "security.permission_changed": t.SecurityPermissionChangedData;
  /** A registered action ran and its backend answered with success. Fired by the service. */
  "action.executed": t.ActionExecutedData;
  /** A person, or a rule that an owner allowed, approved what an AI proposed. Fired by the service. */
  "ai.action.approved": t.AiActionApprovedData;
  /** A metric left the range that its past suggests. */
  "analytics.anomaly": t.AnalyticsAnomalyData;
  /** A metric reached the goal that was set for it. */
  "analytics.goal_reached": t.AnalyticsGoalReachedData;
  /** A metric rose above a fixed line, or fell below it. */
  "analytics.threshold_crossed": t.AnalyticsThresholdCrossedData;
  /** A report was computed and can be fetched. */
  "analytics.report_ready": t.AnalyticsReportReadyData;
  /** A customer began to match a segment. */
  "analytics.segment_entered": t.AnalyticsSegmentEnteredData;
}

/** The data of what the service fires about itself. */
export interface SystemEvents {
  /** An endpoint was deactivated by the service: it failed for five days, or answered 410. */
  "webhook.endpoint.disabled": t.WebhookEndpointDisabledData;
  /** The last attempt of a delivery failed, and it can be replayed; or its event was deleted by retention while it waited (`event_expired`). */
  "webhook.delivery.failed": t.WebhookDeliveryFailedData;
  /** A rightly signed inbound request could not be mapped onto a contact. */
  "inbound.receipt.unmapped": t.InboundReceiptUnmappedData;
  /** An action waits for a person's approval. */
  "action.proposed": t.ActionProposedData;
  /** A person declined a proposal; nothing ran. */
  "action.rejected": t.ActionRejectedData;
  /** Nobody decided on a proposal in time; nothing ran. */
  "action.expired": t.ActionExpiredData;
  /** An action's backend failed, or its outcome is unknown. */
  "action.failed": t.ActionFailedData;
  /** A reversible action was taken back. */
  "action.undone": t.ActionUndoneData;
  /** A connector threw, hung or crashed while it handled something. */
  "connector.failed": t.ConnectorFailedData;
  /** An API key of this workspace is about to expire. */
  "key.expiring": t.KeyExpiringData;
}

export type CanonicalEventName = keyof CanonicalEvents;
export type SystemEventName = keyof SystemEvents;

/** A canonical name, which the editor completes, or a custom one. */
export type EventName = CanonicalEventName | (string & {});

/**
 * The data of an event as it is sent. A canonical event has its own members only, so that the compiler finds a misspelt one;
 * the service takes others too: `fire<string>(…)` sends any object.
 */
export type DataOf<Name extends string> = Name extends CanonicalEventName ? Sent<CanonicalEvents[Name]> : object;

/** A type of the contract without room for members of tomorrow. Dates and bigints become JSON when they are sent. */
export type Sent<T> = T extends readonly (infer Item)[]
  ? readonly Sent<Item>[]
  : T extends object
    ? SentObject<T>
    : T extends number
      ? T | bigint
      : string extends T
        ? T | Date
        : T;

type SentObject<T> = [keyof Known<T>] extends [never] ? object : { [Name in keyof Known<T>]: Sent<Known<T>[Name]> };

type Known<T> = { [Name in keyof T as string extends Name ? never : Name]: T[Name] };

/** The body of a verified delivery. Its event may be a custom one: `webhooks.isEvent` tells, and types its data. */
export interface Delivered<Name extends string = CanonicalEventName | SystemEventName | (string & {})>
  extends Omit<t.WebhookMessage, "event" | "type" | "data"> {
  event: Name;
  type: Name;
  data: [Name] extends [keyof EventsByName] ? EventsByName[Name] : { [member: string]: unknown };
  /** The body's text as it came. It is neither printed nor copied. */
  readonly $raw: string;
}

type EventsByName = CanonicalEvents & SystemEvents;
