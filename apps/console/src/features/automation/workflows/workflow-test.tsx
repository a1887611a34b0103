import { useState } from "react";
import { useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { PastEvent, pretty, readObject } from "../../../automation/automation.ts";
import { useAccess } from "../../../session/session.ts";
import { Button, Card, CodeBlock, EmptyState, ErrorNote, ShowAs, StatusLight, TextField } from "../../../ui/ui.ts";

/** What a run of the saved workflow would do after an event; nothing is done. */
export function WorkflowTest({ workflow }: { readonly workflow: wire.Workflow }) {
  const [chosen, setChosen] = useState("");
  const [event, setEvent] = useState(workflow.trigger.event);
  const [data, setData] = useState("{}");
  const access = useAccess();
  const test = useWrite("workflows.test", { exact: true });
  const parsed = readObject(data);
  const input = { path: { id: workflow.id }, body: { event, data: parsed ?? {} } };
  return (
    <div className="flex flex-col gap-4">
      <Card
        title="Try it on an event"
        description="The workflow as it is saved, if every webhook were taken. Nothing is done, and nothing is sent."
        actions={<ShowAs operation="workflows.test" input={input} />}
      >
        <div className="flex flex-col gap-4">
          <PastEvent
            value={chosen}
            onChange={(past) => {
              setChosen(past.id);
              setEvent(past.event);
              setData(pretty(past.data));
              test.reset();
            }}
          />
          <TextField label="Event" mono value={event} onChange={setEvent} />
          <TextField
            label="Data"
            mono
            lines={6}
            value={data}
            onChange={setData}
            error={parsed === undefined ? "This is no JSON object." : undefined}
          />
          <div>
            <Button
              variant="primary"
              isDisabled={parsed === undefined || event === "" || !access.may("workflows.test")}
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

function Outcome({ trial }: { readonly trial: wire.WorkflowTrial }) {
  return (
    <Card
      title={trial.matches ? "It would begin a run" : "It would not begin a run"}
      actions={
        trial.matches ? (
          <StatusLight tone="good">The event begins it</StatusLight>
        ) : (
          <StatusLight tone="bad">The event does not begin it</StatusLight>
        )
      }
    >
      {trial.steps.length === 0 ? (
        <EmptyState title="No step would be gone through">
          The event is another one than its trigger's, or the condition does not hold.
        </EmptyState>
      ) : (
        <ol aria-label="Steps that it would go through" className="flex flex-col gap-4">
          {trial.steps.map((step, at) => (
            <li key={step.id} className="flex flex-col gap-2">
              <p className="text-sm">
                {at + 1}. <code className="font-medium">{step.id}</code>{" "}
                <span className="text-muted">{step.type.replaceAll("_", " ")}</span>
              </p>
              <CodeBlock label={`Output of ${step.id}`} text={pretty(step.output)} />
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
