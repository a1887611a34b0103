import { useState } from "react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { LeafTable, PastEvent } from "../../automation/automation.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import { Button, Card, CodeBlock, ErrorNote, Link, ShowAs, StatusLight } from "../../ui/ui.ts";

/** What the saved rule makes of an event that was; nothing is done. */
export function RuleTest({ rule }: { readonly rule: wire.Rule }) {
  const [eventId, setEventId] = useState("");
  const access = useAccess();
  const test = useWrite("rules.test", { exact: true });
  const input = { path: { id: rule.id }, body: { event_id: eventId } };
  return (
    <div className="flex flex-col gap-4">
      <Card
        title="Try it on a past event"
        description="The rule as it is saved. Nothing is done, and nothing is sent."
        actions={<ShowAs operation="rules.test" input={input} />}
      >
        <div className="flex flex-col gap-4">
          <PastEvent
            value={eventId}
            onChange={({ id }) => {
              setEventId(id);
              test.reset();
            }}
          />
          <div>
            <Button
              variant="primary"
              isDisabled={eventId === "" || !access.may("rules.test")}
              isPending={test.isPending}
              onPress={() => test.mutate(input)}
            >
              Try it
            </Button>
          </div>
          {test.error === null ? null : <ErrorNote error={test.error} />}
        </div>
      </Card>
      {test.data === undefined ? null : <Outcome trial={test.data} />}
    </div>
  );
}

function Outcome({ trial }: { readonly trial: wire.RuleTrial }) {
  return (
    <Card
      title={trial.would_run ? "It would run" : "It would not run"}
      description={reasonOf(trial)}
      flush
      actions={
        trial.matched ? (
          <StatusLight tone="good">The condition holds</StatusLight>
        ) : (
          <StatusLight tone="bad">The condition does not hold</StatusLight>
        )
      }
    >
      <div role="status" aria-label="What came of it" className="flex flex-col">
        <div className="px-4 py-3">
          <p className="text-sm">
            {trial.contact_id === null ? (
              <span className="text-muted">The event is about nobody known, so no field of contact is there.</span>
            ) : (
              <>
                The event is about <Link to={paths.contact(trial.contact_id)}>{trial.contact_id}</Link>.
              </>
            )}
          </p>
        </div>
        <LeafTable leaves={trial.leaves} />
        <div className="flex flex-col gap-2 border-t border-line px-4 py-3">
          <h3 className="text-sm font-medium">{trial.would_run ? "What it would do" : "What it would do if it ran"}</h3>
          <CodeBlock label="Actions that it would do" text={JSON.stringify(trial.actions, null, 2)} />
        </div>
      </div>
    </Card>
  );
}

function reasonOf({ listens, matched, event }: wire.RuleTrial): string {
  if (!listens) return `It is switched off, or does not listen to ${event}.`;
  return matched
    ? `It listens to ${event}, and its condition holds.`
    : `It listens to ${event}; its condition does not hold.`;
}
