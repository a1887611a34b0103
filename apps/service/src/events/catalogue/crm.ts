import { eventsOf } from "./event-type.ts";
import {
  ada,
  currency,
  customer,
  day,
  email,
  entity,
  flag,
  list,
  measure,
  money,
  object,
  orNull,
  text,
  time,
} from "./shapes.ts";

const changed = list("Names of the changed fields", text("Field name"));

const owner = object("Owner of the deal", {
  external_id: text("Id in your system"),
  email: email("E-mail address"),
  name: text("Full name"),
});

const deal = entity("The deal as it is after the event", {
  name: text("Name"),
  pipeline: text("Pipeline of the deal"),
  stage: text("Stage of the deal"),
  currency,
  amount_minor: money("Expected or agreed value"),
  probability: { type: "number", minimum: 0, maximum: 1, description: "Probability of winning, from 0 to 1" },
  close_on: orNull(day("Expected closing date, null when unknown")),
});

const company = object("The company", {
  external_id: text("Id in your system"),
  name: text("Name"),
  domain: text("Web domain"),
});

const ines = { external_id: "usr_5", email: "ines.costa@example.com", name: "Ines Costa" } as const;
const moreau = { external_id: "cmp_88", name: "Moreau Atelier", domain: "moreau.example.com" } as const;
const lightingDeal = {
  external_id: "deal_640",
  name: "Moreau Atelier: lighting for two shops",
  pipeline: "sales",
  stage: "proposal",
  currency: "EUR",
  amount_minor: 1_240_000,
  probability: 0.6,
  close_on: "2026-12-15",
} as const;

export const crmEvents = eventsOf("crm", [
  {
    name: "customer.signed_up",
    description: "An account was created.",
    data: {
      customer,
      plan: text("Chosen plan"),
      source: text("Where the person came from"),
      signed_up_at: time("Time at which this happened"),
    },
    example: {
      customer: { ...ada, lifecycle_stage: "trial" },
      plan: "team-monthly",
      source: "newsletter",
      signed_up_at: "2026-11-20T09:30:00.000Z",
    },
  },
  {
    name: "customer.updated",
    description: "The name, e-mail address, stage or another field of a customer changed.",
    data: { customer, changed },
    example: { customer: { ...ada, name: "Ada Moreau-Blanc" }, changed: ["name"] },
  },
  {
    name: "customer.deleted",
    description: "A customer's account was removed.",
    data: { customer, reason: text("Reason"), deleted_at: time("Time at which this happened") },
    example: {
      customer: { ...ada, lifecycle_stage: "churned" },
      reason: "asked for erasure",
      deleted_at: "2026-11-30T12:00:00.000Z",
    },
  },
  {
    name: "contact.created",
    description: "A person became known, as a lead or as anything else, with or without an account.",
    data: {
      customer,
      company,
      source: text("Where the person came from"),
      created_at: time("Time at which this happened"),
    },
    example: {
      customer: { ...ada, lifecycle_stage: "lead" },
      company: moreau,
      source: "trade fair",
      created_at: "2026-10-02T15:20:00.000Z",
    },
  },
  {
    name: "contact.updated",
    description: "The data of a contact changed.",
    data: { customer, company, changed },
    example: { customer: ada, company: moreau, changed: ["company"] },
  },
  {
    name: "contact.lifecycle_changed",
    description: "A contact moved to another lifecycle stage. `customer.lifecycle_stage` is the new stage.",
    data: {
      customer,
      previous_stage: orNull(text("Previous stage, null for the first one")),
      reason: text("Reason"),
      changed_at: time("Time at which this happened"),
    },
    example: {
      customer: { ...ada, lifecycle_stage: "customer" },
      previous_stage: "trial",
      reason: "first invoice paid",
      changed_at: "2026-11-20T06:00:12.000Z",
    },
  },
  {
    name: "crm.deal.created",
    title: "Deal created",
    description: "A deal was opened in the CRM.",
    data: { deal, customer, company, owner },
    example: {
      deal: { ...lightingDeal, stage: "qualification", probability: 0.2 },
      customer: ada,
      company: moreau,
      owner: ines,
    },
  },
  {
    name: "crm.deal.stage_changed",
    title: "Deal stage changed",
    description: "A deal moved to another stage of its pipeline. `deal.stage` is the new stage.",
    data: {
      deal,
      customer,
      company,
      owner,
      previous_stage: text("Previous stage"),
      changed_at: time("Time at which this happened"),
    },
    example: {
      deal: lightingDeal,
      customer: ada,
      company: moreau,
      owner: ines,
      previous_stage: "qualification",
      changed_at: "2026-11-18T11:00:00.000Z",
    },
  },
  {
    name: "crm.deal.won",
    title: "Deal won",
    description: "A deal was closed successfully.",
    data: {
      deal,
      customer,
      company,
      owner,
      days_open: measure("Days from opening to closing"),
      won_at: time("Time at which this happened"),
    },
    example: {
      deal: { ...lightingDeal, stage: "won", probability: 1 },
      customer: ada,
      company: moreau,
      owner: ines,
      days_open: 41,
      won_at: "2026-12-11T10:00:00.000Z",
    },
  },
  {
    name: "crm.deal.lost",
    title: "Deal lost",
    description: "A deal was closed without success.",
    data: {
      deal,
      customer,
      company,
      owner,
      reason: text("Reason"),
      competitor: orNull(text("The competitor that won the deal, or null")),
      recoverable: flag("Whether another attempt is worthwhile"),
      lost_at: time("Time at which this happened"),
    },
    example: {
      deal: { ...lightingDeal, stage: "lost", probability: 0 },
      customer: ada,
      company: moreau,
      owner: ines,
      reason: "budget postponed",
      competitor: null,
      recoverable: true,
      lost_at: "2026-12-11T10:00:00.000Z",
    },
  },
]);
