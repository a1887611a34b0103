// Made from openapi/openapi.json by tools/generate-sdks.ts; changes are lost.

import type * as t from "./types.ts";

/** The data of the events that a caller fires. */
export interface CanonicalEvents {
  /** A customer placed an order, which may not be paid yet. */
  "order.created": t.OrderCreatedData;
  /** The items, the address or the amounts of an order changed after it was placed. */
  "order.updated": t.OrderUpdatedData;
  /** The full amount of an order has been paid. */
  "order.paid": t.OrderPaidData;
  /** An order, or the last part of it, left the warehouse. */
  "order.shipped": t.OrderShippedData;
  /** The carrier delivered the order. */
  "order.delivered": t.OrderDeliveredData;
  /** An order was cancelled before it was delivered. */
  "order.cancelled": t.OrderCancelledData;
  /** Some or all items of an order were returned. */
  "order.returned": t.OrderReturnedData;
  /** A cart was not changed for the time after which your shop treats it as abandoned. */
  "cart.abandoned": t.CartAbandonedData;
  /** A customer completed the checkout. */
  "checkout.completed": t.CheckoutCompletedData;
  /** A product was added to the catalog. */
  "product.created": t.ProductCreatedData;
  /** The last piece of a product was sold or reserved. */
  "product.out_of_stock": t.ProductOutOfStockData;
  /** An invoice was issued to a customer. */
  "invoice.created": t.InvoiceCreatedData;
  /** An invoice was paid in full. */
  "invoice.paid": t.InvoicePaidData;
  /** An attempt to collect an invoice failed. More attempts may follow. */
  "invoice.payment_failed": t.InvoicePaymentFailedData;
  /** An invoice is overdue and not fully paid. */
  "invoice.overdue": t.InvoiceOverdueData;
  /** A payment from a customer was received. */
  "payment.completed": t.PaymentCompletedData;
  /** A payment was declined, or was not completed. */
  "payment.failed": t.PaymentFailedData;
  /** A payment was refunded in full or in part. */
  "payment.refunded": t.PaymentRefundedData;
  /** A customer subscribed to a plan, with or without a trial. */
  "subscription.created": t.SubscriptionCreatedData;
  /** A new period of a subscription began. */
  "subscription.renewed": t.SubscriptionRenewedData;
  /** A subscription was cancelled. It may continue to the end of its period. */
  "subscription.cancelled": t.SubscriptionCancelledData;
  /** A trial is about to end, usually in three days. */
  "subscription.trial_ending": t.SubscriptionTrialEndingData;
  /** A customer's bank disputes a payment. */
  "dispute.opened": t.DisputeOpenedData;
  /** A customer, or someone on a customer's behalf, opened a ticket. */
  "ticket.created": t.TicketCreatedData;
  /** The status, priority, subject or another field of a ticket changed. */
  "ticket.updated": t.TicketUpdatedData;
  /** A ticket was assigned, or reassigned. */
  "ticket.assigned": t.TicketAssignedData;
  /** The customer or an agent replied to a ticket. */
  "ticket.replied": t.TicketRepliedData;
  /** A ticket was moved to a higher support level, manually or because of a time limit. */
  "ticket.escalated": t.TicketEscalatedData;
  /** A ticket was marked as resolved. */
  "ticket.resolved": t.TicketResolvedData;
  /** A resolved or closed ticket became active again. */
  "ticket.reopened": t.TicketReopenedData;
  /** A customer rated the support. */
  "csat.received": t.CsatReceivedData;
  /** An account was created. */
  "customer.signed_up": t.CustomerSignedUpData;
  /** The name, e-mail address, stage or another field of a customer changed. */
  "customer.updated": t.CustomerUpdatedData;
  /** A customer's account was removed. */
  "customer.deleted": t.CustomerDeletedData;
  /** A person became known, as a lead or as anything else, with or without an account. */
  "contact.created": t.ContactCreatedData;
  /** The data of a contact changed. */
  "contact.updated": t.ContactUpdatedData;
  /** A contact moved to another lifecycle stage. `customer.lifecycle_stage` is the new stage. */
  "contact.lifecycle_changed": t.ContactLifecycleChangedData;
  /** A deal was opened in the CRM. */
  "crm.deal.created": t.CrmDealCreatedData;
  /** A deal moved to another stage of its pipeline. `deal.stage` is the new stage. */
  "crm.deal.stage_changed": t.CrmDealStageChangedData;
  /** A deal was closed successfully. */
  "crm.deal.won": t.CrmDealWonData;
  /** A deal was closed without success. */
  "crm.deal.lost": t.CrmDealLostData;
  /** A sign-in to your platform failed. */
  "security.login_failed": t.SecurityLoginFailedData;
  /** An event that a person should investigate. */
  "security.suspicious_activity": t.SecuritySuspiciousActivityData;
  /** An API key of your platform was revoked. */
  "security.api_key_revoked": t.SecurityApiKeyRevokedData;
  /** A person's permissions changed. */
  "security.permission_changed": t.SecurityPermissionChangedData;
  /** A registered action ran, and its backend reported success. Fired by the service. */
  "action.executed": t.ActionExecutedData;
  /** A person, or a rule that an owner allowed, approved an action that an AI proposed. Fired by the service. */
  "ai.action.approved": t.AiActionApprovedData;
  /** A metric left the range that its history suggests. */
  "analytics.anomaly": t.AnalyticsAnomalyData;
  /** A metric reached its goal. */
  "analytics.goal_reached": t.AnalyticsGoalReachedData;
  /** A metric rose above a threshold, or fell below it. */
  "analytics.threshold_crossed": t.AnalyticsThresholdCrossedData;
  /** A report was created and can be downloaded. */
  "analytics.report_ready": t.AnalyticsReportReadyData;
  /** A customer entered a segment. */
  "analytics.segment_entered": t.AnalyticsSegmentEnteredData;
}

/** The data of what the service fires about itself. */
export interface SystemEvents {
  /** The service deactivated an endpoint, because it failed for five days or answered 410. */
  "webhook.endpoint.disabled": t.WebhookEndpointDisabledData;
  /** The last attempt of a delivery failed, and the delivery can be replayed. Or retention deleted its event while the delivery waited (`event_expired`). */
  "webhook.delivery.failed": t.WebhookDeliveryFailedData;
  /** A correctly signed inbound request could not be mapped to an event. */
  "inbound.receipt.unmapped": t.InboundReceiptUnmappedData;
  /** An action waits for a person's approval. */
  "action.proposed": t.ActionProposedData;
  /** A person rejected a proposal. Nothing ran. */
  "action.rejected": t.ActionRejectedData;
  /** A proposal expired without a decision. Nothing ran. */
  "action.expired": t.ActionExpiredData;
  /** An action's backend failed, or its outcome is unknown. */
  "action.failed": t.ActionFailedData;
  /** A reversible action was undone. */
  "action.undone": t.ActionUndoneData;
  /** A connector threw an error, stopped responding or crashed while it processed a call. */
  "connector.failed": t.ConnectorFailedData;
  /** The certificate with which the service signs in to an endpoint's receiver expires within 30 days. */
  "endpoint.certificate_expiring": t.EndpointCertificateExpiringData;
  /** An endpoint, source, connector or action failed three times within ten minutes, or failed again after it had recovered. An endpoint gets no event about itself. */
  "issue.opened": t.IssueOpenedData;
  /** Five attempts in a row succeeded, a person resolved the issue, or its object was deleted. */
  "issue.resolved": t.IssueResolvedData;
  /** An API key of this workspace is about to expire. */
  "key.expiring": t.KeyExpiringData;
  /** A workflow with a schedule starts. */
  "schedule.due": t.ScheduleDueData;
  /** A rule notified members (`notify`). */
  "notification.created": t.NotificationCreatedData;
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
