import { useQueries } from "@tanstack/react-query";
import { ArrowRight, CircleAlert, CircleCheck, CircleX, Hourglass, Inbox, ShieldCheck, Webhook } from "lucide-react";
import type { LucideIcon } from "lucide-react";
import { read } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { shownAddress } from "../../shared/shared.ts";
import { Card, cx, Link, RelativeTime } from "../../ui/ui.ts";
import { SelfTestFailed, SelfTestPassed } from "./self-test.tsx";
import { counted, durationText } from "./words.ts";

interface Need {
  readonly id: string;
  readonly icon: LucideIcon;
  readonly tone: "bad" | "warn" | "info";
  readonly title: string;
  readonly text: string;
  readonly to: string;
}

const TONES = { bad: "bg-bad-soft text-bad", warn: "bg-warn-soft text-warn", info: "bg-info-soft text-info" };
/** A backlog younger than this is normal. */
const LATE_SECONDS = 60;
const SHOWN_ENDPOINTS = 3;

/** Lists the problems that need attention, the worst first. */
export function NeedsYou({ attention }: { readonly attention: wire.Attention }) {
  const needs = needsOf(attention);
  const test = attention.self_test;
  return (
    <>
      {test?.status === "failed" ? <SelfTestFailed result={test} /> : null}
      {needs.length > 0 ? <Needs needs={needs} failing={attention.failing_endpoints.ids} /> : null}
      {needs.length === 0 && test?.status !== "failed" ? <NothingNeedsYou /> : null}
      {test?.status === "passed" ? <SelfTestPassed result={test} /> : null}
    </>
  );
}

function Needs({ needs, failing }: { readonly needs: readonly Need[]; readonly failing: readonly string[] }) {
  return (
    <Card title="Needs attention" flush>
      <ul>
        {needs.map((need) => (
          <li key={need.id} className="border-b border-line last:border-0">
            <NeedLink need={need} />
            {need.id === "endpoints" ? <FailingEndpoints ids={failing} /> : null}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function NeedLink({ need: { icon: Icon, tone, title, text, to } }: { readonly need: Need }) {
  return (
    <Link to={to} look="plain" className="flex items-center gap-3 px-4 py-3 hover:bg-hover">
      <span className={cx("flex size-8 shrink-0 items-center justify-center rounded-full", TONES[tone])}>
        <Icon aria-hidden size={16} />
      </span>
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="font-medium">{title}</span>
        <span className="text-sm text-muted">{text}</span>
      </span>
      <ArrowRight aria-hidden size={15} className="shrink-0 text-faint" />
    </Link>
  );
}

/** Lists the first failing endpoints by URL, which saves a click. */
function FailingEndpoints({ ids }: { readonly ids: readonly string[] }) {
  const shown = ids.slice(0, SHOWN_ENDPOINTS);
  const endpoints = useQueries({ queries: shown.map((id) => read("webhook_endpoints.get", { path: { id } })) });
  return (
    <ul className="pb-2 pl-15">
      {endpoints.map(({ data }, index) =>
        data === undefined ? null : (
          <li key={shown[index]} className="flex flex-wrap items-baseline gap-x-3 py-0.5 pr-4 text-sm">
            <Link to={paths.endpoint(data.id)} className="min-w-0 break-all">
              {[data.description, shownAddress(data)].filter((text) => text !== "").join(" · ")}
            </Link>
            <span className="text-muted">
              {data.active ? (
                <>
                  First failed <RelativeTime at={data.failing_since} />
                </>
              ) : (
                "Turned off: it gets no events"
              )}
            </span>
          </li>
        ),
      )}
    </ul>
  );
}

function NothingNeedsYou() {
  return (
    <Card>
      <div className="flex flex-wrap items-center gap-3">
        <span className="flex size-8 items-center justify-center rounded-full bg-good-soft text-good">
          <CircleCheck aria-hidden size={16} />
        </span>
        <div className="min-w-0 flex-1">
          <h2 className="font-medium">You're all caught up</h2>
          <p className="text-sm text-muted">No open issues, failed deliveries or pending approvals.</p>
        </div>
        <Link to={paths.setupGuide} look="button">
          Getting started
        </Link>
      </div>
    </Card>
  );
}

function needsOf({
  failing_endpoints: failing,
  issues,
  parked_deliveries: parked,
  proposals,
  receipts,
  backlog,
}: wire.Attention): Need[] {
  const age = backlog.oldest_due_age_seconds ?? 0;
  const [only] = issues.ids;
  const needs: readonly (Need & { readonly count: number })[] = [
    {
      id: "issues",
      count: issues.count,
      icon: CircleAlert,
      tone: "bad",
      title: counted(issues.count, "issue is open", "issues are open", issues.capped),
      text: "Attempts of one endpoint, source, connector or action fail. Acknowledge an issue, ignore it, or fix its cause.",
      to: issues.count === 1 && only !== undefined ? paths.issue(only) : `${paths.issues}?state=open`,
    },
    {
      id: "endpoints",
      count: failing.count,
      icon: Webhook,
      tone: "bad",
      title: counted(failing.count, "endpoint is failing", "endpoints are failing"),
      text: "Deliveries are retried on schedule, then marked as failed. An endpoint that the service turned off gets none until you turn it on.",
      to: `${paths.endpoints}?state=failing`,
    },
    {
      id: "parked",
      count: parked.count,
      icon: CircleX,
      tone: "bad",
      title: counted(parked.count, "delivery failed", "deliveries failed", parked.capped),
      text: "All attempts failed. Replay them after you fix the receiver.",
      to: `${paths.deliveries}?state=failed`,
    },
    {
      id: "proposals",
      count: proposals.count,
      icon: ShieldCheck,
      tone: proposals.high > 0 ? "warn" : "info",
      title: counted(
        proposals.count,
        "action is waiting for approval",
        "actions are waiting for approval",
        proposals.capped,
      ),
      text: risksText(proposals),
      to: paths.approvals,
    },
    {
      id: "receipts",
      count: receipts.error.count + receipts.unmapped.count,
      icon: Inbox,
      tone: "warn",
      title: counted(
        receipts.error.count + receipts.unmapped.count,
        "receipt needs attention",
        "receipts need attention",
        receipts.error.capped || receipts.unmapped.capped,
      ),
      text: `${counted(receipts.error.count, "error", "errors", receipts.error.capped)}, ${receipts.unmapped.count} unmapped.`,
      to: `${paths.receipts}?status=${receipts.error.count > 0 ? "error" : "unmapped"}`,
    },
    {
      id: "backlog",
      count: age > LATE_SECONDS ? 1 : 0,
      icon: Hourglass,
      tone: "warn",
      title: `Deliveries are ${durationText(age)} late`,
      text: `${counted(backlog.count, "delivery is", "deliveries are", backlog.capped)} pending.`,
      to: `${paths.deliveries}?state=pending`,
    },
  ];
  return needs.filter((need) => need.count > 0);
}

function risksText({ high, medium, low }: wire.OpenProposals): string {
  const parts = [`${high} with high risk`, `${medium} with medium risk`, `${low} with low risk`];
  return `${parts.filter((part) => !part.startsWith("0 ")).join(", ")}.`;
}
