import { eventsOf } from "./event-type.ts";
import {
  ada,
  choice,
  count,
  customer,
  email,
  flag,
  list,
  object,
  orNull,
  printer,
  text,
  ticket,
  time,
} from "./shapes.ts";

const agent = object("The assigned agent", {
  external_id: text("Id in your system"),
  email: email("E-mail address"),
  name: text("Full name"),
});
const jonas = { external_id: "agt_12", email: "jonas.berg@example.com", name: "Jonas Berg" } as const;
const assigned = { ...printer, assignee: jonas.email } as const;

export const supportEvents = eventsOf("support", [
  {
    name: "ticket.created",
    description: "A customer, or someone on a customer's behalf, opened a ticket.",
    data: {
      ticket,
      customer,
      channel: text("Channel, such as email, chat, phone or web"),
      message: text("The first message"),
      tags: list("Labels", text("Label")),
    },
    example: {
      ticket: printer,
      customer: ada,
      channel: "email",
      message: "Since this morning's update the printer shows E04 and prints nothing.",
      tags: ["hardware"],
    },
  },
  {
    name: "ticket.updated",
    description: "The status, priority, subject or another field of a ticket changed.",
    data: { ticket, customer, changed: list("Names of the changed fields", text("Field name")) },
    example: { ticket: { ...assigned, status: "pending" }, customer: ada, changed: ["status"] },
  },
  {
    name: "ticket.assigned",
    description: "A ticket was assigned, or reassigned.",
    data: { ticket, customer, agent, previous_assignee: orNull(text("The previous assignee, or null")) },
    example: { ticket: assigned, customer: ada, agent: jonas, previous_assignee: null },
  },
  {
    name: "ticket.replied",
    title: "Ticket replied to",
    description: "The customer or an agent replied to a ticket.",
    data: {
      ticket,
      customer,
      reply: object("The reply", {
        external_id: text("Id in your system"),
        author: choice("Author of the reply", ["customer", "agent", "bot"]),
        body: text("Text of the reply"),
        public: flag("Whether the customer can see the reply"),
      }),
      replied_at: time("Time at which this happened"),
    },
    required: ["ticket", "reply"],
    example: {
      ticket: assigned,
      customer: ada,
      reply: {
        external_id: "msg_8821",
        author: "agent",
        body: "Please hold the power button for ten seconds.",
        public: true,
      },
      replied_at: "2026-11-20T10:12:00.000Z",
    },
  },
  {
    name: "ticket.escalated",
    description: "A ticket was moved to a higher support level, manually or because of a time limit.",
    data: {
      ticket,
      customer,
      level: count("New support level"),
      reason: text("Reason"),
      escalated_to: text("Team or person that the ticket was escalated to"),
    },
    example: {
      ticket: { ...assigned, priority: "urgent" },
      customer: ada,
      level: 2,
      reason: "no first answer within 2 hours",
      escalated_to: "hardware",
    },
  },
  {
    name: "ticket.resolved",
    description: "A ticket was marked as resolved.",
    data: {
      ticket,
      customer,
      resolution: text("Resolution"),
      seconds_to_resolve: count("Seconds from opening to resolution"),
      resolved_at: time("Time at which this happened"),
    },
    example: {
      ticket: { ...assigned, status: "resolved" },
      customer: ada,
      resolution: "Firmware reset.",
      seconds_to_resolve: 9420,
      resolved_at: "2026-11-20T12:07:00.000Z",
    },
  },
  {
    name: "ticket.reopened",
    description: "A resolved or closed ticket became active again.",
    data: { ticket, customer, reason: text("Reason"), reopened_at: time("Time at which this happened") },
    example: { ticket: assigned, customer: ada, reason: "E04 is back", reopened_at: "2026-11-21T08:30:00.000Z" },
  },
  {
    name: "csat.received",
    title: "Satisfaction rating received",
    description: "A customer rated the support.",
    data: {
      rating: object(
        "The rating",
        {
          score: count("Score that the customer gave"),
          max_score: count("Highest possible score"),
          comment: orNull(text("Comment of the customer, null without one")),
        },
        ["score"],
      ),
      ticket,
      customer,
      received_at: time("Time at which this happened"),
    },
    example: {
      rating: { score: 5, max_score: 5, comment: "Quick and friendly." },
      ticket: { ...assigned, status: "resolved" },
      customer: ada,
      received_at: "2026-11-20T15:00:00.000Z",
    },
  },
]);
