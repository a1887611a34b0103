import type { QueryClient } from "@tanstack/react-query";
import type { ComponentType } from "react";
import { read } from "./api/api.ts";

/** A screen's module exports its component as `Screen`; it is loaded when its path is first opened. */
export interface ScreenRoute {
  readonly path: string;
  readonly load: () => Promise<{ readonly Screen: ComponentType }>;
  /** Requests the first data of the screen. A page that opens at this screen calls it while the screen's code loads. */
  readonly prefetch?: (client: QueryClient) => void;
}

/** Routes that need no session, with one line for each. */
export const publicRoutes: readonly ScreenRoute[] = [
  { path: "/sign-in", load: async () => await import("./features/sign-in/sign-in.tsx") },
  { path: "/setup", load: async () => await import("./features/sign-in/claim.tsx") },
  { path: "/invite", load: async () => await import("./features/sign-in/invite.tsx") },
  { path: "/forgot", load: async () => await import("./features/sign-in/forgot.tsx") },
  { path: "/reset", load: async () => await import("./features/sign-in/reset.tsx") },
];

/** Routes within the shell. */
export const routes: readonly ScreenRoute[] = [
  {
    path: "/",
    load: async () => await import("./features/home/home.tsx"),
    prefetch: (client) => {
      void client.prefetchQuery(read("attention.get"));
      void client.prefetchQuery(read("usage.series", { query: { hours: 24 } }));
    },
  },
  { path: "/start", load: async () => await import("./features/start/start.tsx") },
  { path: "/endpoints", load: async () => await import("./features/endpoints/endpoints.tsx") },
  {
    path: "/endpoints/new",
    load: async () => ({ Screen: (await import("./features/endpoints/endpoints.tsx")).NewScreen }),
  },
  { path: "/endpoints/$id", load: async () => await import("./features/endpoints/endpoint.tsx") },
  { path: "/deliveries", load: async () => await import("./features/deliveries/deliveries.tsx") },
  { path: "/deliveries/$id", load: async () => await import("./features/deliveries/delivery.tsx") },
  { path: "/tester", load: async () => await import("./features/tester/tester.tsx") },
  { path: "/events", load: async () => await import("./features/events/events.tsx") },
  { path: "/events/$id", load: async () => await import("./features/events/event.tsx") },
  { path: "/event-types", load: async () => await import("./features/events/event-types.tsx") },
  {
    path: "/event-types/new",
    load: async () => ({ Screen: (await import("./features/events/event-types.tsx")).NewScreen }),
  },
  { path: "/event-types/$name", load: async () => await import("./features/events/event-type.tsx") },
  { path: "/tenants", load: async () => await import("./features/tenants/tenants.tsx") },
  { path: "/tenants/$tenant", load: async () => await import("./features/tenants/tenant.tsx") },
  { path: "/sources", load: async () => await import("./features/sources/sources.tsx") },
  {
    path: "/sources/new",
    load: async () => ({ Screen: (await import("./features/sources/sources.tsx")).NewScreen }),
  },
  { path: "/sources/$id", load: async () => await import("./features/sources/source.tsx") },
  { path: "/receipts", load: async () => await import("./features/sources/receipts.tsx") },
  { path: "/receipts/$id", load: async () => await import("./features/sources/receipt.tsx") },
  { path: "/contacts", load: async () => await import("./features/contacts/contacts.tsx") },
  {
    path: "/contacts/new",
    load: async () => ({ Screen: (await import("./features/contacts/contacts.tsx")).NewScreen }),
  },
  { path: "/contacts/$id", load: async () => await import("./features/contacts/contact.tsx") },
  { path: "/customers", load: async () => await import("./features/contacts/customers.tsx") },
  { path: "/customers/$id", load: async () => await import("./features/contacts/customer.tsx") },
  { path: "/issues", load: async () => await import("./features/issues/issues.tsx") },
  { path: "/issues/$id", load: async () => await import("./features/issues/issue.tsx") },
  { path: "/tickets", load: async () => await import("./features/contacts/tickets.tsx") },
  { path: "/tickets/$id", load: async () => await import("./features/contacts/ticket.tsx") },
  { path: "/rules", load: async () => await import("./features/automation/rules/rules.tsx") },
  { path: "/rules/$id", load: async () => await import("./features/automation/rules/rule.tsx") },
  { path: "/workflows", load: async () => await import("./features/automation/workflows/workflows.tsx") },
  { path: "/workflows/$id", load: async () => await import("./features/automation/workflows/workflow.tsx") },
  { path: "/workflow-runs/$id", load: async () => await import("./features/automation/workflows/workflow-run.tsx") },
  { path: "/http-calls", load: async () => await import("./features/automation/http-calls/http-calls.tsx") },
  { path: "/http-calls/$id", load: async () => await import("./features/automation/http-calls/http-call.tsx") },
  {
    path: "/notifications",
    load: async () => await import("./features/workspace/notifications/notifications.tsx"),
  },
  { path: "/approvals", load: async () => await import("./features/actions/approvals.tsx") },
  { path: "/approvals/$id", load: async () => await import("./features/actions/approval.tsx") },
  {
    path: "/standing-approvals",
    load: async () => await import("./features/standing-approvals/standing-approvals.tsx"),
  },
  {
    path: "/standing-approvals/$id",
    load: async () => await import("./features/standing-approvals/standing-approval.tsx"),
  },
  { path: "/approval-channels", load: async () => await import("./features/actions/channels.tsx") },
  {
    path: "/approval-channels/new",
    load: async () => ({ Screen: (await import("./features/actions/channels.tsx")).NewScreen }),
  },
  { path: "/actions", load: async () => await import("./features/actions/actions.tsx") },
  { path: "/actions/$key", load: async () => await import("./features/actions/action.tsx") },
  { path: "/runs", load: async () => await import("./features/actions/runs.tsx") },
  { path: "/runs/$id", load: async () => await import("./features/actions/run.tsx") },
  { path: "/audit", load: async () => await import("./features/audit/audit.tsx") },
  { path: "/audit/$id", load: async () => await import("./features/audit/audit-row.tsx") },
  { path: "/ai-history", load: async () => await import("./features/ai-history/ai-history.tsx") },
  { path: "/ai-history/$id", load: async () => await import("./features/ai-history/ai-exchange.tsx") },
  { path: "/connectors", load: async () => await import("./features/connectors/connectors.tsx") },
  { path: "/connectors/$key", load: async () => await import("./features/connectors/connector.tsx") },
  { path: "/keys", load: async () => await import("./features/workspace/keys/keys.tsx") },
  {
    path: "/keys/new",
    load: async () => ({ Screen: (await import("./features/workspace/keys/keys.tsx")).NewScreen }),
  },
  { path: "/keys/$id", load: async () => await import("./features/workspace/keys/key.tsx") },
  { path: "/connected-apps", load: async () => await import("./features/apps/connected-apps.tsx") },
  { path: "/connect", load: async () => await import("./features/apps/connect.tsx") },
  { path: "/members", load: async () => await import("./features/workspace/members/members.tsx") },
  { path: "/mails", load: async () => await import("./features/workspace/mails/mails.tsx") },
  { path: "/configuration", load: async () => await import("./features/workspace/configuration/configuration.tsx") },
  { path: "/settings", load: async () => await import("./features/workspace/settings/settings.tsx") },
  { path: "/account", load: async () => await import("./features/workspace/account/account.tsx") },
  // The build for users leaves this route out.
  ...(import.meta.env.DEV ? [{ path: "/ui-gallery", load: async () => await import("./ui/ui-gallery.tsx") }] : []),
];
