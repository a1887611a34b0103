import { useState } from "react";
import { useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { paths } from "../../../paths.ts";
import { useAccess } from "../../../session/session.ts";
import { Card, CodeBlock, Link, ShowAs, StatusLight } from "../../../ui/ui.ts";
import { LeafTable } from "../../../shared/shared.ts";
import { PastEvent } from "../past-event.tsx";
import { TrialCard } from "../trial-card.tsx";

/** Tests the saved rule with a past event, without running its actions. */
export function RuleTest({ rule }: { readonly rule: wire.Rule }) {
  const [eventId, setEventId] = useState("");
  const access = useAccess();
  const test = useWrite("rules.test", { exact: true });
  const input = { path: { id: rule.id }, body: { event_id: eventId } };
  return (
    <div className="flex flex-col gap-4">
      <TrialCard
        title="Test with a past event"
        description="Tests the saved rule. Nothing is run or sent."
        code={<ShowAs operation="rules.test" input={input} />}
        isDisabled={eventId === "" || !access.may("rules.test")}
        isPending={test.isPending}
        error={test.error}
        onTry={() => test.mutate(input)}
      >
        <PastEvent
          value={eventId}
          onChange={({ id }) => {
            setEventId(id);
            test.reset();
          }}
        />
      </TrialCard>
      {test.data === undefined ? null : <Outcome trial={test.data} />}
    </div>
  );
}

function Outcome({ trial }: { readonly trial: wire.RuleTrial }) {
  return (
    <Card
      title={trial.would_run ? "The rule would run" : "The rule would not run"}
      description={reasonOf(trial)}
      flush
      actions={
        trial.matched ? (
          <StatusLight tone="good">Condition met</StatusLight>
        ) : (
          <StatusLight tone="bad">Condition not met</StatusLight>
        )
      }
    >
      <div role="status" aria-label="Test result" className="flex flex-col">
        <div className="px-4 py-3">
          <p className="text-sm">
            {trial.contact_id === null ? (
              <span className="text-muted">The event has no known contact, so its contact fields are missing.</span>
            ) : (
              <>
                Contact: <Link to={paths.contact(trial.contact_id)}>{trial.contact_id}</Link>
              </>
            )}
          </p>
        </div>
        <LeafTable leaves={trial.leaves} />
        <div className="flex flex-col gap-2 border-t border-line px-4 py-3">
          <h3 className="text-sm font-medium">{trial.would_run ? "Actions" : "Actions if the rule ran"}</h3>
          <CodeBlock label="Actions" text={JSON.stringify(trial.actions, null, 2)} />
        </div>
      </div>
    </Card>
  );
}

function reasonOf({ listens, matched, event }: wire.RuleTrial): string {
  if (!listens) return `The rule is turned off or does not listen to ${event}.`;
  return matched
    ? `The rule listens to ${event}, and its condition is met.`
    : `The rule listens to ${event}, but its condition is not met.`;
}
