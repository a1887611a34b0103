import { CircleAlert, CircleCheck, CircleDashed, CircleX } from "lucide-react";
import type { wire } from "../../api/api.ts";
import { usePortal } from "../../session/session.ts";
import { explainFailure } from "../../shared/shared.ts";
import { cx, relativeText, useNow } from "../../ui/ui.ts";
import type { Tone } from "../../ui/ui.ts";

interface Notice {
  readonly tone: Exclude<Tone, "info">;
  readonly title: string;
  readonly text: string;
}

const LOOKS = {
  good: { icon: CircleCheck, look: "bg-good-soft text-good" },
  warn: { icon: CircleAlert, look: "bg-warn-soft text-warn" },
  bad: { icon: CircleX, look: "bg-bad-soft text-bad" },
  neutral: { icon: CircleDashed, look: "bg-sunken text-muted" },
};

/** Explains in plain words the state of a delivery, what failed, and what to do. */
export function Outcome({
  delivery,
  attempts,
}: {
  readonly delivery: wire.DeliveryDetail;
  readonly attempts: readonly wire.Attempt[];
}) {
  const now = useNow();
  const isCustomer = usePortal() !== undefined;
  const notice = noticeOf(delivery, attempts, { now, isCustomer });
  const { icon: Icon, look } = LOOKS[notice.tone];
  return (
    <div role="status" aria-live="off" className={cx("flex items-start gap-3 rounded-xl px-4 py-3", look)}>
      <Icon aria-hidden size={18} className="mt-0.5 shrink-0" />
      <div className="min-w-0">
        <p className="font-medium">{notice.title}</p>
        <p className="text-sm text-ink">{notice.text}</p>
      </div>
    </div>
  );
}

interface Reading {
  readonly now: number;
  readonly isCustomer: boolean;
}

function noticeOf(delivery: wire.DeliveryDetail, attempts: readonly wire.Attempt[], reading: Reading): Notice {
  const last = attempts.at(-1);
  const failure =
    last === undefined ? null : explainFailure({ errorClass: last.error_class, statusCode: last.status_code }, reading);
  const failed = failure === null ? "" : `${failure.what} ${failure.advice}`;
  switch (delivery.state) {
    case "delivered":
      return { tone: "good", title: deliveredTitle(last), text: deliveredText(attempts, failure?.what) };
    case "cancelled":
      return {
        tone: "neutral",
        title: "Cancelled. No more attempts follow.",
        text: last === undefined ? "The delivery was never sent." : failed,
      };
    case "filtered":
      return {
        tone: "neutral",
        title: "Filtered. Nothing was sent.",
        text: "The endpoint's transformation returned null for this event.",
      };
    case "failed":
      return {
        tone: "bad",
        title: `Failed after ${times(delivery.attempt_count).toLowerCase()}: ${codeOf(last)}`,
        text: failed,
      };
    default:
      return pendingNotice(delivery, { last, failed, now: reading.now });
  }
}

function pendingNotice(
  { next_attempt_at: next }: wire.DeliveryDetail,
  { last, failed, now }: { readonly last: wire.Attempt | undefined; readonly failed: string; readonly now: number },
): Notice {
  const at = next === null ? null : Date.parse(next);
  const when = at === null || at <= now ? "now" : relativeText(at, now).replace(/\.$/, "");
  if (last === undefined) {
    const waits =
      "The first attempt starts when the earlier stages of the event have ended and the endpoint's limits allow it.";
    return { tone: "neutral", title: "Pending. The delivery has not been sent yet.", text: waits };
  }
  return { tone: "warn", title: `The last attempt failed. The next attempt is due ${when}.`, text: failed };
}

function deliveredTitle(last: wire.Attempt | undefined): string {
  if (last === undefined || last.error_class !== null) return "Delivered.";
  return `Delivered: the receiver responded with ${last.status_code ?? "2xx"} in ${Math.round(last.latency_ms.total)} ms.`;
}

function deliveredText(attempts: readonly wire.Attempt[], replayFailed: string | undefined): string {
  if (replayFailed !== undefined)
    return `A later replay failed: ${replayFailed} The delivery still counts as delivered.`;
  const failures = attempts.filter((attempt) => attempt.error_class !== null).length;
  return failures === 0 ? "The first attempt succeeded." : `${times(failures)} failed before that.`;
}

function codeOf(last: wire.Attempt | undefined): string {
  if (last === undefined) return "never sent.";
  if (last.error_class === "http_status") return `the receiver responded with ${last.status_code}.`;
  return last.error_detail ?? `${last.error_class ?? "unknown error"}.`;
}

function times(count: number): string {
  return count === 1 ? "One attempt" : `${count} attempts`;
}
