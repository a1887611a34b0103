import { useSession } from "../../session/session.ts";
import { StorageNotice } from "../../shell/shell.ts";
import { Button, Meter, PageHeader, Skeleton, ErrorState } from "../../ui/ui.ts";
import { useProgress } from "./progress.ts";
import { Step } from "./step.tsx";
import { ApproveStep, DeliverStep, FireStep, InboundStep, VerifyStep } from "./steps.tsx";

/** Leads from an empty workspace to an approved action. The existing data decides which steps are done. */
export function Screen() {
  const { isSandbox, switchEnvironment } = useSession();
  const progress = useProgress();
  const done = progress.steps.filter(Boolean).length;
  return (
    <>
      <PageHeader
        title="Getting started"
        description="Complete these five steps. Junction marks a step as done when it happens, in live or in the sandbox."
        actions={isSandbox ? null : <Button onPress={() => switchEnvironment("sandbox")}>Switch to sandbox</Button>}
      />
      {progress.error === null ? null : <ErrorState error={progress.error} onRetry={progress.refetch} />}
      {progress.isPending ? <Skeleton label="Loading your progress" /> : null}
      {progress.isPending || progress.error !== null ? null : (
        <div className="flex max-w-3xl flex-col gap-4">
          <Meter label="Progress" value={done} most={5} text={`${done} of 5`} />
          <ol className="flex flex-col gap-3">
            <Step number={1} title="Fire an event" isDone={progress.steps[0]} isNext={done === 0}>
              <FireStep isDone={progress.steps[0]} />
            </Step>
            <Step
              number={2}
              title="See the delivery"
              isDone={progress.steps[1]}
              isNext={progress.steps[0] && !progress.steps[1]}
            >
              <DeliverStep isDone={progress.steps[1]} />
            </Step>
            <Step
              number={3}
              title="Verify the signature"
              isDone={progress.steps[2]}
              isNext={progress.steps[1] && !progress.steps[2]}
            >
              <VerifyStep isDone={progress.steps[2]} />
            </Step>
            <Step
              number={4}
              title="Receive an inbound webhook"
              isDone={progress.steps[3]}
              isNext={progress.steps[2] && !progress.steps[3]}
            >
              <InboundStep isDone={progress.steps[3]} />
            </Step>
            <Step
              number={5}
              title="Approve an action"
              isDone={progress.steps[4]}
              isNext={progress.steps[3] && !progress.steps[4]}
            >
              <ApproveStep isDone={progress.steps[4]} />
            </Step>
          </ol>
          <StorageNotice />
        </div>
      )}
    </>
  );
}
