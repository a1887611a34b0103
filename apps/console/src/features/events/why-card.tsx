import { useState } from "react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { useAccess } from "../../session/session.ts";
import { LeafTable } from "../../shared/shared.ts";
import type { Endpoints } from "../../shared/shared.ts";
import { Button, Card, ErrorNote, Select, ShowAs, StatusLight } from "../../ui/ui.ts";

const CHECKS: Readonly<Record<string, { readonly label: string; readonly yes: string; readonly no: string }>> = {
  active: { label: "Endpoint", yes: "Active", no: "Inactive" },
  events: { label: "Event type", yes: "Subscribed", no: "Not subscribed" },
  filter: { label: "Filter", yes: "Passed", no: "Not passed" },
};

/** Explains why an endpoint gets this event, or does not. */
export function WhyCard({ eventId, endpoints }: { readonly eventId: string; readonly endpoints: Endpoints }) {
  const [id, setId] = useState("");
  const may = useAccess().may("webhook_endpoints.explain");
  const explain = useWrite("webhook_endpoints.explain", { exact: true });
  const input = { path: { id }, body: { event_id: eventId } };
  if (endpoints.all.length === 0) return null;
  return (
    <Card
      title="Why did an endpoint not get it?"
      description="Judges the event by the endpoint as it is now."
      actions={id === "" ? undefined : <ShowAs operation="webhook_endpoints.explain" input={input} />}
      stacked
    >
      <Select
        label="Endpoint"
        placeholder="Select an endpoint"
        options={endpoints.options}
        value={id === "" ? null : id}
        onChange={(next) => {
          setId(next);
          explain.reset();
        }}
      />
      <div>
        <Button isDisabled={id === "" || !may} isPending={explain.isPending} onPress={() => explain.mutate(input)}>
          Explain
        </Button>
      </div>
      {explain.error === null ? null : <ErrorNote error={explain.error} />}
      {explain.data === undefined ? null : <Explanation explanation={explain.data} />}
    </Card>
  );
}

function Explanation({ explanation }: { readonly explanation: wire.EndpointExplanation }) {
  const leaves = explanation.checks.find(({ check }) => check === "filter")?.leaves;
  return (
    <div role="status" aria-label="Explanation" className="flex flex-col gap-3">
      <p className="text-sm">
        {explanation.matched
          ? "The endpoint gets such an event. If it did not get this one, it has changed since then."
          : "The endpoint does not get this event, because not every check passes."}
      </p>
      <ul className="flex flex-wrap gap-x-6 gap-y-2 text-sm">
        {explanation.checks.map(({ check, matched }) => (
          <li key={check} className="flex items-center gap-2">
            <span className="text-muted">{CHECKS[check]?.label ?? check}</span>
            <StatusLight tone={matched ? "good" : "bad"}>
              {(matched ? CHECKS[check]?.yes : CHECKS[check]?.no) ?? (matched ? "Passed" : "Not passed")}
            </StatusLight>
          </li>
        ))}
      </ul>
      {leaves === undefined ? null : <LeafTable leaves={leaves} />}
    </div>
  );
}
