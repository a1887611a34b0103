import {
  Activity,
  BadgeCheck,
  Bell,
  BookOpen,
  Bot,
  Building2,
  Cable,
  CircleAlert,
  ContactRound,
  FileClock,
  FileJson,
  FlaskConical,
  GitBranch,
  Globe,
  House,
  Inbox,
  KeyRound,
  Mail,
  Plug,
  PlugZap,
  ScrollText,
  Send,
  Settings,
  ShieldCheck,
  Ticket,
  UserRound,
  Users,
  Webhook,
  Workflow,
  Zap,
} from "lucide-react";
import type { LucideIcon } from "lucide-react";
import { paths } from "../paths.ts";

export interface NavItem {
  readonly to: string;
  readonly label: string;
  readonly icon: LucideIcon;
  /** Other words by which the palette finds it. */
  readonly also?: string;
  /** The description below the page's title, which can be read before the page's own code loads. */
  readonly about?: string;
}

export interface NavGroup {
  readonly label: string | null;
  readonly items: readonly NavItem[];
}

export const navigation: readonly NavGroup[] = [
  {
    label: null,
    items: [
      {
        to: paths.home,
        label: "Home",
        icon: House,
        also: "overview dashboard",
        about: "Items that need attention, and hourly latency, success rate and volume.",
      },
      { to: paths.issues, label: "Issues", icon: CircleAlert, also: "failures errors problems grouped" },
    ],
  },
  {
    label: "Outbound",
    items: [
      { to: paths.endpoints, label: "Endpoints", icon: Webhook, also: "webhooks targets" },
      { to: paths.deliveries, label: "Deliveries", icon: Send, also: "log attempts replay" },
      { to: paths.events, label: "Events", icon: Zap, also: "fire" },
      { to: paths.eventTypes, label: "Event types", icon: BookOpen, also: "catalog schema" },
      { to: paths.tenants, label: "Tenants", icon: Building2, also: "customers accounts" },
      { to: paths.tester, label: "Tester", icon: FlaskConical, also: "inbox dry run" },
    ],
  },
  {
    label: "Inbound",
    items: [
      { to: paths.sources, label: "Sources", icon: Cable, also: "inbound webhooks mapping" },
      { to: paths.receipts, label: "Receipts", icon: Inbox, also: "inbound log reprocess" },
      { to: paths.contacts, label: "Contacts", icon: ContactRound, also: "people timeline" },
      { to: paths.customers, label: "Customers", icon: UserRound },
      { to: paths.tickets, label: "Tickets", icon: Ticket },
    ],
  },
  {
    label: "Automation",
    items: [
      { to: paths.approvals, label: "Approvals", icon: ShieldCheck, also: "proposals queue" },
      { to: paths.standingApprovals, label: "Standing approvals", icon: BadgeCheck, also: "in advance budget agent" },
      { to: paths.actions, label: "Actions", icon: Activity, also: "contracts registry runs" },
      { to: paths.rules, label: "Rules", icon: GitBranch },
      { to: paths.workflows, label: "Workflows", icon: Workflow },
      { to: paths.httpCalls, label: "HTTP calls", icon: Globe, also: "api requests log replay" },
      { to: paths.notifications, label: "Notifications", icon: Bell, also: "messages unread" },
      { to: paths.connectors, label: "Connectors", icon: Plug },
    ],
  },
  {
    label: "Workspace",
    items: [
      { to: paths.audit, label: "Audit log", icon: ScrollText, also: "chain who did what" },
      { to: paths.aiHistory, label: "AI history", icon: Bot, also: "assistant prompts" },
      { to: paths.keys, label: "API keys", icon: KeyRound },
      { to: paths.connectedApps, label: "Connected apps", icon: PlugZap, also: "oauth mcp claude chatgpt" },
      { to: paths.members, label: "Members", icon: Users, also: "roles invitations" },
      { to: paths.mails, label: "E-mail log", icon: Mail, also: "mails smtp sent failed" },
      {
        to: paths.configuration,
        label: "Configuration",
        icon: FileJson,
        also: "as code export import plan apply drift",
      },
      { to: paths.settings, label: "Settings", icon: Settings, also: "retention workspace" },
    ],
  },
];

/** Pages that are in the palette and not in the navigation. */
export const otherPages: readonly NavItem[] = [
  { to: paths.setupGuide, label: "Getting started", icon: FileClock, also: "checklist setup" },
  { to: paths.account, label: "Your account", icon: UserRound, also: "password sessions totp two factor" },
  { to: paths.approvalChannels, label: "Approval channels", icon: Send, also: "slack e-mail reminders escalation" },
  { to: paths.runs, label: "Action runs", icon: Activity, also: "executions" },
];

/** The pages of the navigation, in its order. */
export const pages: readonly NavItem[] = navigation.flatMap(({ items }) => items);

/** Returns the description of the page at a path. */
export function aboutOf(path: string): string | undefined {
  return pages.find(({ to }) => to === path)?.about;
}
