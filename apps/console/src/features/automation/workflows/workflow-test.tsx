import { useState } from "react";
import { useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { useAccess } from "../../../session/session.ts";
import { Card, CodeBlock, EmptyState, ShowAs, StatusLight, TextField } from "../../../ui/ui.ts";
import { PastEvent } from "../past-event.tsx";
import { TrialCard } from "../trial-card.tsx";
import { pretty, readObject } from "../../../shared/shared.ts";
import { stepLabel } from "./steps.ts";
import { eventOf } from "./trigger.ts";

/** Tests what a run of the saved workflow would do after an event, without running it. */
export function WorkflowTest({ workflow }: { readonly workflow: wire.Workflow }) {
  const [chosen, setChosen] = useState("");
  const [event, setEvent] = useState(eventOf(workflow));
  const [data, setData] = useState("{}");
  const access = useAccess();
  const test = useWrite("workflows.test", { exact: true });
  const parsed = readObject(data);
  const input = { path: { id: workflow.id }, body: { event, data: parsed ?? {} } };
  return (
    <div className="flex flex-col gap-4">
      <TrialCard
        title="Test with an event"
        description="Tests the saved workflow as if every webhook were delivered. Nothing is run or sent."
        code={<ShowAs operation="workflows.test" input={input} />}
        isDisabled={parsed === undefined || event === "" || !access.may("workflows.test")}
        isPending={test.isPending}
        error={test.error}
        onTry={() => test.mutate(input)}
      >
        <PastEvent
          value={chosen}
          onChange={(past) => {
            setChosen(past.id);
            setEvent(past.event);
            setData(pretty(past.data));
            test.reset();
          }}
        />
        <TextField label="Event type" mono value={event} onChange={setEvent} />
        <TextField
          label="Data"
          mono
          lines={6}
          value={data}
          onChange={setData}
          error={parsed === undefined ? "Enter a valid JSON object." : undefined}
        />
      </TrialCard>
      {test.data === undefined ? null : <Outcome trial={test.data} />}
    </div>
  );
}

function Outcome({ trial }: { readonly trial: wire.WorkflowTrial }) {
  return (
    <Card
      title={trial.matches ? "A run would start" : "No run would start"}
      actions={
        trial.matches ? (
          <StatusLight tone="good">Event matches</StatusLight>
        ) : (
          <StatusLight tone="bad">Event does not match</StatusLight>
        )
      }
    >
      {trial.steps.length === 0 ? (
        <EmptyState title="No steps would run">
          The event is not the trigger's event, or the condition is not met.
        </EmptyState>
      ) : (
        <ol aria-label="Steps that would run" className="flex flex-col gap-4">
          {trial.steps.map((step, at) => (
            <li key={step.id} className="flex flex-col gap-2">
              <p className="text-sm">
                {at + 1}. <code className="font-medium">{step.id}</code>{" "}
                <span className="text-muted">{stepLabel(step.type)}</span>
              </p>
              <CodeBlock label={`Output of ${step.id}`} text={pretty(step.output)} />
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
