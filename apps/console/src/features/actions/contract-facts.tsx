import type { wire } from "../../api/api.ts";
import { JsonBlock } from "../../shared/shared.ts";
import { Badge, Card, KeyValue, labelsOf, Table } from "../../ui/ui.ts";

/** Shows the content of a contract. */
export function ContractFacts({ contract }: { readonly contract: wire.ActionContract }) {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(18rem,2fr)]">
      <Parameters contract={contract} />
      <Facts contract={contract} />
      <Card title="Action contract" description="As returned by the API.">
        <JsonBlock label="Action contract" value={contract} />
      </Card>
    </div>
  );
}

function Parameters({ contract }: { readonly contract: wire.ActionContract }) {
  const rows = Object.entries(contract.params).map(([name, parameter]) => ({ name, ...parameter }));
  if (rows.length === 0) {
    return (
      <Card title="Parameters">
        <p className="text-muted">No parameters.</p>
      </Card>
    );
  }
  return (
    <Card
      title="Parameters"
      description="Requests with other parameters are rejected. Values are never converted."
      flush
    >
      <Table
        label="Parameters"
        rows={rows}
        keyOf={(row) => row.name}
        columns={[
          {
            header: "Name",
            cell: (row) => (
              <span className="flex flex-col">
                <code className="break-all">{row.name}</code>
                <span className="text-xs text-muted">{row.description}</span>
              </span>
            ),
          },
          { header: "Type", cell: (row) => row.type },
          { header: "Required", cell: (row) => (row.required === true ? "Yes" : "No") },
          { header: "Limits", from: "sm", cell: limitsOf },
          {
            header: "Sensitive",
            from: "sm",
            cell: (row) => (row.sensitive === true ? <Badge tone="warn">Yes</Badge> : "No"),
          },
        ]}
      />
    </Card>
  );
}

function limitsOf({ type, min, max, enum: values }: wire.ActionParameter): string {
  if (values !== undefined) return values.map(String).join(", ");
  const unit = type === "string" ? " characters" : "";
  if (min !== undefined && max !== undefined) return `${min} to ${max}${unit}`;
  if (min !== undefined) return `At least ${min}${unit}`;
  return max === undefined ? "" : `At most ${max}${unit}`;
}

function Facts({ contract }: { readonly contract: wire.ActionContract }) {
  const { approval } = contract;
  const required = `${approval.required}${approval.four_eyes ? " (second-person approval)" : ""}`;
  return (
    <Card title="Execution">
      <KeyValue
        rows={[
          { label: "Backend", value: <code className="break-all">{contract.endpoint}</code> },
          { label: "Sandbox backend", value: contract.sandbox_endpoint ?? "Simulated (nothing is called)" },
          { label: "Required approvals", value: contract.requires_confirmation ? required : "None" },
          contract.requires_confirmation ? { label: "Approvers", value: labelsOf(approval.approver_roles) } : null,
          { label: "Undo", value: contract.undo === null ? "No" : `Within ${contract.undo.window_seconds} s` },
          { label: "Allowed roles", value: labelsOf(contract.roles) },
          { label: "Surfaces", value: labelsOf(contract.surface) },
          { label: "Response", value: contract.delivery === "sync" ? "Synchronous" : "Asynchronous" },
          { label: "Timeout", value: `${contract.timeout_ms / 1000} s` },
          { label: "Audited", value: contract.audit ? "Yes" : "No" },
          { label: "Version", value: contract.version },
        ]}
      />
    </Card>
  );
}
