import { CircleCheck, CircleDashed, CircleX, Clock } from "lucide-react";
import { ToggleButton, ToggleButtonGroup } from "react-aria-components";
import type { wire } from "../../api/api.ts";
import { failureWord } from "../../shared/shared.ts";
import { Badge, Card, cx, relativeText, Select, useNow, useUrlState } from "../../ui/ui.ts";
import { AttemptDetail } from "./attempt-detail.tsx";
import { stepsOf } from "./retry-steps.ts";
import type { Step } from "./retry-steps.ts";

/** Shows the steps of the retry schedule with their results, and one of them in full. */
export function Attempts({
  delivery,
  attempts,
}: {
  readonly delivery: wire.DeliveryDetail;
  readonly attempts: readonly wire.Attempt[];
}) {
  const latest = attempts.at(-1);
  const [chosen, choose] = useUrlState("attempt", String(latest?.number ?? ""));
  const steps = stepsOf(delivery, attempts);
  const shown = attempts.find((attempt) => String(attempt.number) === chosen) ?? latest;
  return (
    <Card
      title="Attempts"
      description={`Up to ${steps.filter((step) => step.isScheduled).length} attempts. After the last one, the delivery is marked as failed. Select an attempt to see its details.`}
    >
      <ToggleButtonGroup
        aria-label="Attempts"
        selectionMode="single"
        disallowEmptySelection={shown !== undefined}
        selectedKeys={shown === undefined ? [] : [String(shown.number)]}
        onSelectionChange={(keys) => choose(String([...keys][0] ?? ""))}
        className="grid grid-cols-2 sm:grid-cols-3 xl:grid-cols-6 gap-2"
      >
        {steps.map((step) => (
          <StepButton key={step.number} step={step} />
        ))}
      </ToggleButtonGroup>
      {shown === undefined ? null : <Details attempt={shown} others={attempts.filter((one) => one !== shown)} />}
    </Card>
  );
}

/** Shows an attempt, and another one next to it for comparison. */
function Details({ attempt, others }: { readonly attempt: wire.Attempt; readonly others: readonly wire.Attempt[] }) {
  const [compared, compare] = useUrlState("compare", "");
  const other = others.find(({ number }) => String(number) === compared);
  return (
    <>
      {others.length === 0 ? null : (
        <div className="mt-4 max-w-64">
          <Select
            label="Compare with"
            options={[
              { value: "none", label: "No other attempt" },
              ...others.map(({ number }) => ({ value: String(number), label: `Attempt ${number}` })),
            ]}
            value={other === undefined ? "none" : compared}
            onChange={(next) => compare(next === "none" ? "" : next)}
          />
        </div>
      )}
      <div className={cx("grid gap-x-6", other !== undefined && "lg:grid-cols-2")}>
        <AttemptDetail attempt={attempt} isCompared={other !== undefined} />
        {other === undefined ? null : <AttemptDetail attempt={other} isCompared />}
      </div>
    </>
  );
}

function StepButton({ step }: { readonly step: Step }) {
  const { attempt, number } = step;
  return (
    <ToggleButton
      id={String(number)}
      isDisabled={attempt === undefined}
      className={cx(
        "flex min-w-0 flex-col items-start gap-0.5 rounded-lg border px-3 py-2 text-left data-[hovered]:bg-hover data-[selected]:border-accent data-[selected]:bg-accent-soft",
        attempt === undefined ? "border-dashed border-line-strong" : "border-line",
      )}
    >
      <span className="flex w-full items-center justify-between gap-2 text-xs text-muted">
        Attempt {number}
        {attempt?.trigger === "replay" ? <Badge>Replay</Badge> : null}
      </span>
      {attempt === undefined ? <Due step={step} /> : <Result attempt={attempt} />}
    </ToggleButton>
  );
}

function Result({ attempt }: { readonly attempt: wire.Attempt }) {
  const isGood = attempt.error_class === null;
  const Icon = isGood ? CircleCheck : CircleX;
  return (
    <>
      <span
        className={cx("flex max-w-full items-center gap-1.5 text-sm font-medium", isGood ? "text-good" : "text-bad")}
      >
        <Icon aria-hidden size={14} className="shrink-0" />
        <span className="truncate">
          {failureWord({ errorClass: attempt.error_class, statusCode: attempt.status_code })}
          <span className="sr-only">{isGood ? ", delivered" : ", failed"}</span>
        </span>
      </span>
      <span className="tabular text-xs text-muted">{Math.round(attempt.latency_ms.total)} ms</span>
    </>
  );
}

function Due({ step }: { readonly step: Step }) {
  const now = useNow();
  const { dueMs, afterSeconds, isNever } = step;
  if (isNever) return <Line icon={<CircleDashed aria-hidden size={14} />} text="Not needed" />;
  if (dueMs === null) {
    return <Line icon={<CircleDashed aria-hidden size={14} />} text={`after ${duration(afterSeconds)}`} />;
  }
  const text = dueMs <= now ? "now" : relativeText(dueMs, now);
  return <Line icon={<Clock aria-hidden size={14} />} text={text} isNext />;
}

function Line({ icon, text, isNext = false }: { icon: React.ReactNode; text: string; isNext?: boolean }) {
  return (
    <span className={cx("tabular flex items-center gap-1.5 text-sm", isNext ? "font-medium text-warn" : "text-muted")}>
      {icon}
      {text}
    </span>
  );
}

function duration(seconds: number): string {
  if (seconds < 90) return `${seconds} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
