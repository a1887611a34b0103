import { callerOf, operators, readers, route } from "../accounts/accounts.ts";
import type { App } from "../accounts/accounts.ts";
import type { Contacts } from "./contacts.ts";
import * as shapes from "./contacts.schemas.ts";

/** Customers and tickets, which the customer platform reports under its own ids. */
export function customerRoutes(app: App, contacts: Contacts): void {
  listRoutes(app, contacts);
  putRoutes(app, contacts);
}

function listRoutes(app: App, { customers, tickets }: Contacts): void {
  route(app, "GET /v1/customers", {
    config: { operation: "customers.list", callers: readers, does: ["contacts.list"] },
    operationId: "listCustomers",
    summary: "List customers",
    description:
      "Returns every contact in the form of a customer, newest first, with filters. With `identity`, returns the customers that a connector finds.",
    querystring: shapes.CustomerListQuery,
    response: { 200: shapes.CustomerListView },
    handler: async (request) => await customers.list(callerOf(request).scope, request.query),
  });

  route(app, "GET /v1/customers/:id", {
    config: { operation: "customers.get", callers: readers, does: ["contacts.get"], limit: "customers.get" },
    operationId: "getCustomer",
    summary: "Show a customer",
    description: "Returns the customer with open tickets, and with the data of connectors.",
    params: shapes.ContactParams,
    response: { 200: shapes.CustomerView },
    handler: async (request) => await customers.get(callerOf(request).scope, request.params.id),
  });

  route(app, "GET /v1/tickets", {
    config: { operation: "tickets.list", callers: readers, limit: "tickets.list", errors: ["not_found"] },
    operationId: "listTickets",
    summary: "List tickets",
    description:
      "Newest first, with filters. For the first page of one customer (`customer_id`), connectors are also queried, for at most 800 ms.",
    querystring: shapes.TicketListQuery,
    response: { 200: shapes.TicketListView },
    handler: async (request) => await tickets.list(callerOf(request).scope, request.query),
  });

  route(app, "GET /v1/tickets/:id", {
    config: { operation: "tickets.get", callers: readers },
    operationId: "getTicket",
    summary: "Show a ticket",
    description: "The ticket, as known from events, connectors and API calls.",
    params: shapes.TicketParams,
    response: { 200: shapes.TicketView },
    handler: async (request) => await tickets.get(callerOf(request).scope, request.params.id),
  });
}

function putRoutes(app: App, { customers, tickets }: Contacts): void {
  route(app, "PUT /v1/customers/:id", {
    config: {
      operation: "customers.put",
      callers: operators,
      does: ["contacts.create", "contacts.update"],
      errors: ["conflict"],
    },
    operationId: "putCustomer",
    summary: "Create or update a customer by your own id",
    description:
      "`id` is your own id (`external_id`). Sets the members in the request and keeps the others. The status is 201 if the object was created.",
    params: shapes.ExternalIdParams,
    body: shapes.CustomerBody,
    response: { 200: shapes.CustomerView, 201: shapes.CustomerView },
    handler: async (request, reply) => {
      const { customer, made } = await customers.put(callerOf(request).scope, request.params.id, request.body);
      if (made) reply.code(201);
      return customer;
    },
  });

  route(app, "PUT /v1/tickets/:id", {
    config: {
      operation: "tickets.put",
      callers: operators,
      doesWith: { customer_external_id: "contacts.create" },
      errors: ["conflict"],
    },
    operationId: "putTicket",
    summary: "Create or update a ticket by your own id",
    description:
      "`id` is your own id (`external_id`). Sets the members in the request and keeps the others. The status is 201 if the object was created.",
    params: shapes.ExternalIdParams,
    body: shapes.TicketBody,
    response: { 200: shapes.TicketView, 201: shapes.TicketView },
    handler: async (request, reply) => {
      const { ticket, made } = await tickets.put(callerOf(request).scope, request.params.id, request.body);
      if (made) reply.code(201);
      return ticket;
    },
  });
}
