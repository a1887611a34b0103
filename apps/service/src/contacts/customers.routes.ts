import { callerOf, operators, readers } from "../accounts/accounts.ts";
import type { App } from "../accounts/accounts.ts";
import type { Contacts } from "./contacts.ts";
import * as shapes from "./contacts.schemas.ts";

/** Customers and tickets, which the customer platform reports under its own ids. */
export function customerRoutes(app: App, contacts: Contacts): void {
  listRoutes(app, contacts);
  putRoutes(app, contacts);
}

function listRoutes(app: App, { customers, tickets }: Contacts): void {
  app.get(
    "/v1/customers",
    {
      config: { operation: "customers.list", callers: readers, does: ["contacts.list"] },
      schema: {
        operationId: "listCustomers",
        summary: "List customers",
        description:
          "Returns every contact in the form of a customer, newest first, with filters. With `identity`, returns the customers that a connector finds.",
        querystring: shapes.CustomerListQuery,
        response: { 200: shapes.CustomerListView },
      },
    },
    async (request) => await customers.list(callerOf(request).scope, request.query),
  );

  app.get(
    "/v1/customers/:id",
    {
      config: { operation: "customers.get", callers: readers, does: ["contacts.get"], limit: "customers.get" },
      schema: {
        operationId: "getCustomer",
        summary: "Show a customer",
        description: "Returns the customer with open tickets, and with the data of connectors.",
        params: shapes.ContactParams,
        response: { 200: shapes.CustomerView },
      },
    },
    async (request) => await customers.get(callerOf(request).scope, request.params.id),
  );

  app.get(
    "/v1/tickets",
    {
      config: { operation: "tickets.list", callers: readers, limit: "tickets.list", errors: ["not_found"] },
      schema: {
        operationId: "listTickets",
        summary: "List tickets",
        description:
          "Newest first, with filters. For the first page of one customer (`customer_id`), connectors are also queried, for at most 800 ms.",
        querystring: shapes.TicketListQuery,
        response: { 200: shapes.TicketListView },
      },
    },
    async (request) => await tickets.list(callerOf(request).scope, request.query),
  );

  app.get(
    "/v1/tickets/:id",
    {
      config: { operation: "tickets.get", callers: readers },
      schema: {
        operationId: "getTicket",
        summary: "Show a ticket",
        description: "The ticket, as known from events, connectors and API calls.",
        params: shapes.TicketParams,
        response: { 200: shapes.TicketView },
      },
    },
    async (request) => await tickets.get(callerOf(request).scope, request.params.id),
  );
}

function putRoutes(app: App, { customers, tickets }: Contacts): void {
  app.put(
    "/v1/customers/:id",
    {
      config: {
        operation: "customers.put",
        callers: operators,
        does: ["contacts.create", "contacts.update"],
        errors: ["conflict"],
      },
      schema: {
        operationId: "putCustomer",
        summary: "Create or update a customer by your own id",
        description:
          "`id` is your own id (`external_id`). Sets the members in the request and keeps the others. The status is 201 if the object was created.",
        params: shapes.ExternalIdParams,
        body: shapes.CustomerBody,
        response: { 200: shapes.CustomerView, 201: shapes.CustomerView },
      },
    },
    async (request, reply) => {
      const { customer, made } = await customers.put(callerOf(request).scope, request.params.id, request.body);
      return await reply.code(made ? 201 : 200).send(customer);
    },
  );

  app.put(
    "/v1/tickets/:id",
    {
      config: {
        operation: "tickets.put",
        callers: operators,
        doesWith: { customer_external_id: "contacts.create" },
        errors: ["conflict"],
      },
      schema: {
        operationId: "putTicket",
        summary: "Create or update a ticket by your own id",
        description:
          "`id` is your own id (`external_id`). Sets the members in the request and keeps the others. The status is 201 if the object was created.",
        params: shapes.ExternalIdParams,
        body: shapes.TicketBody,
        response: { 200: shapes.TicketView, 201: shapes.TicketView },
      },
    },
    async (request, reply) => {
      const { ticket, made } = await tickets.put(callerOf(request).scope, request.params.id, request.body);
      return await reply.code(made ? 201 : 200).send(ticket);
    },
  );
}
