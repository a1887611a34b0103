import { eventsOf } from "./event-type.ts";
import { actor, choice, count, EXAMPLE_IDS, list, object, orNull, text, time, url } from "./shapes.ts";

const action = text("Key of the contract");
const proposalId = text("The proposal");
const workflow = object("Workflow that asks, absent for other proposals", {
  id: text("The workflow"),
  name: text("Name of the workflow"),
  version: count("Version of the workflow"),
  run_id: text("Run of the workflow"),
  step_id: text("Step of the run"),
  event: object("Event that started the run", { id: text("The event"), type: text("Name of the event") }),
});
const assistant = { type: "ai", id: EXAMPLE_IDS.key, display: "Support assistant" } as const;
const ines = { type: "user", id: EXAMPLE_IDS.mem, display: "Ines Costa" } as const;

const issue = {
  issue_id: text("The issue"),
  kind: choice("Kind of what failed", ["delivery", "transform", "source", "connection", "broker", "action"]),
  object_id: text("Id of the endpoint, or key of the connector or action"),
  object_name: orNull(text("Name of the object, null once it was deleted")),
  count: count("Number of failures"),
  first_seen_at: time("Time of the first failure"),
  last_seen_at: time("Time of the last failure"),
  reopened_count: count("How often the issue was opened again"),
};
const issueExample = {
  issue_id: EXAMPLE_IDS.iss,
  kind: "delivery",
  object_id: EXAMPLE_IDS.ep,
  object_name: "Shop (hooks.example.com)",
  count: 3,
  first_seen_at: "2026-11-20T09:40:00.000Z",
  reopened_count: 0,
};

/** Fired for each occurrence of a workflow's schedule. Its data name the workflow. */
export const SCHEDULE_DUE = "schedule.due";

/** The events that the service fires about itself. Endpoints subscribe to them only by name (contract, section 5). */
export const systemEvents = eventsOf("system", [
  {
    name: "webhook.endpoint.disabled",
    description: "The service deactivated an endpoint, because it failed for five days or answered 410.",
    data: {
      endpoint_id: text("The endpoint"),
      url: url("URL of the endpoint"),
      disabled_reason: text("Reason"),
      failing_since: orNull(time("Time at which the failures began")),
      disabled_at: time("Time at which this happened"),
    },
    required: ["endpoint_id", "disabled_reason"],
    example: {
      endpoint_id: EXAMPLE_IDS.ep,
      url: "https://hooks.example.com/junction",
      disabled_reason: "failing",
      failing_since: "2026-11-15T09:40:00.000Z",
      disabled_at: "2026-11-20T09:40:00.000Z",
    },
  },
  {
    name: "webhook.delivery.failed",
    description:
      "The last attempt of a delivery failed, and the delivery can be replayed. Or retention deleted its event while the delivery waited (`event_expired`).",
    data: {
      delivery_id: text("The delivery"),
      endpoint_id: text("The endpoint"),
      event_id: text("The event"),
      event: text("Name of the event"),
      attempt_count: count("Number of attempts"),
      last_status_code: orNull(count("HTTP status of the last attempt, null without a response")),
      error_class: orNull(text("Kind of error")),
      failed_at: time("Time at which the delivery was marked as failed"),
    },
    required: ["delivery_id", "endpoint_id", "event_id", "event"],
    example: {
      delivery_id: EXAMPLE_IDS.dlv,
      endpoint_id: EXAMPLE_IDS.ep,
      event_id: EXAMPLE_IDS.evt,
      event: "invoice.paid",
      attempt_count: 6,
      last_status_code: 503,
      error_class: "http_status",
      failed_at: "2026-11-20T20:36:00.000Z",
    },
  },
  {
    name: "inbound.receipt.unmapped",
    description: "A correctly signed inbound request could not be mapped to an event.",
    data: {
      receipt_id: text("The receipt"),
      source_id: text("The source"),
      reason: text("The value that could not be read"),
      event_type: orNull(text("Event type of the sender, null when it could not be read")),
    },
    required: ["receipt_id", "source_id", "reason"],
    example: {
      receipt_id: EXAMPLE_IDS.rcp,
      source_id: EXAMPLE_IDS.src,
      reason: "contact_email_path matched nothing",
      event_type: "payment_intent.succeeded",
    },
  },
  {
    name: "action.proposed",
    description: "An action waits for a person's approval.",
    data: {
      action,
      proposal_id: proposalId,
      proposer: actor,
      workflow,
      surface: text("Surface of the request"),
      risk: choice("Risk of the contract", ["low", "medium", "high"]),
      title: text("Title of the preview"),
      summary: text("Summary of the preview, in one sentence"),
      fields: list(
        "Facts that the author of an approval step shows, absent for other proposals",
        object("Fact", { label: text("Label"), value: text("Value") }),
      ),
      approver_roles: list("Roles that may approve", text("Role")),
      approve_url: url("Page on which people decide"),
      expires_at: time("Time at which the proposal expires"),
    },
    required: ["action", "proposal_id"],
    example: {
      action: "orders.refund",
      proposal_id: EXAMPLE_IDS.prop,
      proposer: assistant,
      surface: "assistant",
      risk: "medium",
      title: "Refund order 10482",
      summary: "Pays back 89.00 EUR to Ada Moreau.",
      approver_roles: ["owner", "admin"],
      approve_url: `https://junction.example.com/approvals/${EXAMPLE_IDS.prop}`,
      expires_at: "2026-11-21T10:15:00.000Z",
    },
  },
  {
    name: "action.rejected",
    description: "A person rejected a proposal. Nothing ran.",
    data: {
      action,
      proposal_id: proposalId,
      proposer: actor,
      workflow,
      rejected_by: actor,
      reason: orNull(text("Reason, null when none was given")),
      rejected_at: time("Time at which this happened"),
    },
    required: ["action", "proposal_id"],
    example: {
      action: "orders.refund",
      proposal_id: EXAMPLE_IDS.prop,
      proposer: assistant,
      rejected_by: ines,
      reason: "already refunded by hand",
      rejected_at: "2026-11-20T10:20:00.000Z",
    },
  },
  {
    name: "action.expired",
    description: "A proposal expired without a decision. Nothing ran.",
    data: {
      action,
      proposal_id: proposalId,
      proposer: actor,
      workflow,
      expired_at: time("Time at which this happened"),
    },
    required: ["action", "proposal_id"],
    example: {
      action: "orders.refund",
      proposal_id: EXAMPLE_IDS.prop,
      proposer: assistant,
      expired_at: "2026-11-21T10:15:00.000Z",
    },
  },
  {
    name: "action.failed",
    description: "An action's backend failed, or its outcome is unknown.",
    data: {
      action,
      run_id: text("The run"),
      proposal_id: orNull(text("The proposal that led to the run, null when none was needed")),
      actor,
      error_code: text("Error code, such as action_endpoint_failed or outcome_unknown"),
      backend_status: orNull(count("HTTP status of the backend, null without a response")),
      failed_at: time("Time at which this happened"),
    },
    required: ["action", "run_id", "error_code"],
    example: {
      action: "orders.refund",
      run_id: EXAMPLE_IDS.run,
      proposal_id: EXAMPLE_IDS.prop,
      actor: assistant,
      error_code: "action_endpoint_failed",
      backend_status: 500,
      failed_at: "2026-11-20T10:15:04.000Z",
    },
  },
  {
    name: "action.undone",
    description: "A reversible action was undone.",
    data: {
      action,
      run_id: text("The run that was undone"),
      undone_by: actor,
      undone_at: time("Time at which this happened"),
    },
    required: ["action", "run_id"],
    example: {
      action: "orders.refund",
      run_id: EXAMPLE_IDS.run,
      undone_by: ines,
      undone_at: "2026-11-20T10:40:00.000Z",
    },
  },
  {
    name: "connector.failed",
    description: "A connector threw an error, stopped responding or crashed while it processed a call.",
    data: {
      connector: object(
        "The connector",
        { key: text("Key of the connector"), version: text("Version of the connector") },
        ["key"],
      ),
      during: text("The call that failed"),
      error: text("Error message, shortened"),
      failed_at: time("Time at which this happened"),
    },
    example: {
      connector: { key: "helpdesk-mirror", version: "1.4.0" },
      during: "subscriber ticket.created",
      error: "connection refused by helpdesk.example.com",
      failed_at: "2026-11-20T10:02:00.000Z",
    },
  },
  {
    name: "endpoint.certificate_expiring",
    title: "Client certificate expiring",
    description: "The certificate with which the service signs in to an endpoint's receiver expires within 30 days.",
    data: {
      endpoint_id: text("The endpoint"),
      url: url("URL of the endpoint"),
      expires_at: time("End of the certificate's validity"),
    },
    required: ["endpoint_id", "expires_at"],
    example: {
      endpoint_id: EXAMPLE_IDS.ep,
      url: "https://hooks.example.com/junction",
      expires_at: "2026-12-19T00:00:00.000Z",
    },
  },
  {
    name: "issue.opened",
    description:
      "An endpoint, source, connector or action failed three times within ten minutes, or failed again after it had recovered. An endpoint gets no event about itself.",
    data: {
      ...issue,
      code: orNull(text("Status code or error class")),
      message: orNull(text("Message without its varying parts")),
    },
    required: ["issue_id", "kind", "object_id"],
    example: {
      ...issueExample,
      last_seen_at: "2026-11-20T09:42:00.000Z",
      code: "500",
      message: null,
    },
  },
  {
    name: "issue.resolved",
    description: "Five attempts in a row succeeded, a person resolved the issue, or its object was deleted.",
    data: {
      ...issue,
      resolved_by: choice("What resolved it", ["service", "member", "deletion"]),
      resolved_at: time("Time at which this happened"),
    },
    required: ["issue_id", "kind", "object_id", "resolved_by"],
    example: {
      ...issueExample,
      last_seen_at: "2026-11-20T10:02:00.000Z",
      resolved_by: "service",
      resolved_at: "2026-11-20T10:12:00.000Z",
    },
  },
  {
    name: "key.expiring",
    title: "API key expiring",
    description: "An API key of this workspace is about to expire.",
    data: {
      key_id: text("The key"),
      name: text("Name"),
      prefix_hint: text("First characters of the key"),
      expires_at: time("Time at which this happened"),
    },
    required: ["key_id", "expires_at"],
    example: {
      key_id: EXAMPLE_IDS.key,
      name: "warehouse sync",
      prefix_hint: "jn_live_9f2K",
      expires_at: "2026-11-27T00:00:00.000Z",
    },
  },
  {
    name: SCHEDULE_DUE,
    description: "A workflow with a schedule starts.",
    data: {
      workflow_id: text("The workflow"),
      workflow_name: text("Name of the workflow"),
      due_at: time("Time of the occurrence"),
      scheduled_at: text("The same time on the clocks of the schedule's time zone, with its offset"),
      time_zone: text("Time zone of the schedule"),
      previous_due_at: orNull(time("Time of the previous occurrence that was fired, null for the first one")),
      missed: count("Number of missed occurrences that this event stands for, at most 100; 0 when it is on time"),
    },
    required: ["workflow_id", "due_at", "scheduled_at", "time_zone"],
    example: {
      workflow_id: EXAMPLE_IDS.wf,
      workflow_name: "Weekly report",
      due_at: "2026-11-20T08:00:00.000Z",
      scheduled_at: "2026-11-20T09:00:00+01:00",
      time_zone: "Europe/Berlin",
      previous_due_at: "2026-11-13T08:00:00.000Z",
      missed: 0,
    },
  },
  {
    name: "notification.created",
    description: "A rule notified members (`notify`).",
    data: {
      rule_id: text("The rule"),
      rule_name: text("Name of the rule"),
      event_id: text("The event that the rule ran for"),
      contact_id: orNull(text("The contact of the event, null without one")),
      reached: count("Number of members that have the notification"),
      email: choice("Whether it is sent by e-mail: off without a mail server", ["queued", "off", "sandbox"]),
      to: list("The recipients in the rule, with values filled in", text("Role, id or e-mail address of a member")),
      message: text("The message"),
    },
    required: ["rule_id", "rule_name", "event_id", "contact_id", "reached", "email", "to", "message"],
    example: {
      rule_id: EXAMPLE_IDS.rule,
      rule_name: "Large orders",
      event_id: EXAMPLE_IDS.evt,
      contact_id: EXAMPLE_IDS.con,
      reached: 2,
      email: "queued",
      to: ["admin"],
      message: "Order 10482 is above the limit.",
    },
  },
]);
