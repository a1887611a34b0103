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

const agent = object("Who works on it", {
  external_id: text("Id in your system"),
  email: email("E-mail address"),
  name: text("Full name"),
});
const jonas = { external_id: "agt_12", email: "jonas.berg@example.com", name: "Jonas Berg" } as const;
const assigned = { ...printer, assignee: jonas.email } as const;

export const supportEvents = eventsOf("support", [
  {
    name: "ticket.created",
    title: "Ticket created",
    description: "A customer, or someone on a customer's behalf, opened a ticket.",
    data: {
      ticket,
      customer,
      channel: text("Such as email, chat, phone or web"),
      message: text("The first message"),
      tags: list("Labels", text("Label")),
    },
    required: ["ticket"],
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
    title: "Ticket updated",
    description: "Status, priority, subject or another field of a ticket changed.",
    data: { ticket, customer, changed: list("Names of the changed fields", text("Field name")) },
    required: ["ticket"],
    example: { ticket: { ...assigned, status: "pending" }, customer: ada, changed: ["status"] },
  },
  {
    name: "ticket.assigned",
    title: "Ticket assigned",
    description: "A ticket got an assignee, or another one.",
    data: { ticket, customer, agent, previous_assignee: orNull(text("Who had it before, null when nobody did")) },
    required: ["ticket"],
    example: { ticket: assigned, customer: ada, agent: jonas, previous_assignee: null },
  },
  {
    name: "ticket.replied",
    title: "Ticket replied to",
    description: "The customer or an agent wrote on a ticket.",
    data: {
      ticket,
      customer,
      reply: object("The message", {
        external_id: text("Its id in your system"),
        author: choice("Who wrote it", ["customer", "agent", "bot"]),
        body: text("What it says"),
        public: flag("Whether the customer sees it"),
      }),
      replied_at: time("When"),
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
    title: "Ticket escalated",
    description: "A ticket was handed to a higher level, by hand or because time ran out.",
    data: {
      ticket,
      customer,
      level: count("Level it is on now"),
      reason: text("Why"),
      escalated_to: text("Team or person"),
    },
    required: ["ticket"],
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
    title: "Ticket resolved",
    description: "A ticket was marked as solved.",
    data: {
      ticket,
      customer,
      resolution: text("What solved it"),
      seconds_to_resolve: count("Seconds since it was opened"),
      resolved_at: time("When"),
    },
    required: ["ticket"],
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
    title: "Ticket reopened",
    description: "A resolved or closed ticket became active again.",
    data: { ticket, customer, reason: text("Why"), reopened_at: time("When") },
    required: ["ticket"],
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
          score: count("What the customer gave"),
          max_score: count("The best there is"),
          comment: orNull(text("Their words, null without any")),
        },
        ["score"],
      ),
      ticket,
      customer,
      received_at: time("When"),
    },
    required: ["rating"],
    example: {
      rating: { score: 5, max_score: 5, comment: "Quick and friendly." },
      ticket: { ...assigned, status: "resolved" },
      customer: ada,
      received_at: "2026-11-20T15:00:00.000Z",
    },
  },
]);
