import { CircleAlert, CircleCheck } from "lucide-react";
import type { wire } from "../../api/api.ts";
import { Card, ExternalLink, RelativeTime } from "../../ui/ui.ts";
import { millisecondsText } from "./words.ts";

type Result = NonNullable<wire.Attention["self_test"]>;

/** A self-test that failed: customers' events may not get through either. */
export function SelfTestFailed({ result }: { readonly result: Result }) {
  return (
    <Card>
      <div role="alert" className="flex flex-wrap items-center gap-3">
        <span className="flex size-8 items-center justify-center rounded-full bg-bad-soft text-bad">
          <CircleAlert aria-hidden size={16} />
        </span>
        <div className="min-w-0 flex-1 basis-56">
          <h2 className="font-medium">Self-test failed at the step “{result.failed_step}”</h2>
          <p className="text-sm text-muted">
            {result.detail} Events may not be delivered. Tested <RelativeTime at={result.finished_at} />. The test runs
            every minute.
          </p>
        </div>
        <ExternalLink href="/docs/guide/runbooks#junctionselftestfailed">View runbook</ExternalLink>
      </div>
    </Card>
  );
}

export function SelfTestPassed({ result }: { readonly result: Result }) {
  return (
    <p className="flex items-start gap-x-2 px-1 text-sm text-muted">
      <CircleCheck aria-hidden size={15} className="mt-0.5 shrink-0 text-good" />
      <span className="min-w-0">
        Self-test passed <RelativeTime at={result.finished_at} />: an event was accepted, delivered and verified in{" "}
        {millisecondsText(result.duration_ms)}.
      </span>
    </p>
  );
}
