import { useState } from "react";
import { useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { useAccess } from "../../../session/session.ts";
import { Button, Card, ComboBox, fieldError, Form, Select, Switch, TextField, toast } from "../../../ui/ui.ts";

const RETENTIONS = [
  { value: "", label: "As long as the installation keeps them" },
  ...["3", "7", "14", "30", "90", "365"].map((days) => ({ value: days, label: `${days} days` })),
];
const ZONES = Intl.supportedValuesOf("timeZone").map((zone) => ({ value: zone, label: zone }));

export function WorkspaceForm({ workspace }: { readonly workspace: wire.Workspace }) {
  const { settings } = workspace;
  const [name, setName] = useState(workspace.name);
  const [retention, setRetention] = useState(settings.retention_days === null ? "" : String(settings.retention_days));
  const [zone, setZone] = useState(settings.time_zone);
  const [inline, setInline] = useState(settings.inline_confirmation);
  const [solo, setSolo] = useState(settings.solo_approval);
  const access = useAccess();
  const update = useWrite("workspaces.update", { refreshes: ["workspaces.", "auth.session"] });
  const kept = RETENTIONS.some((one) => one.value === retention)
    ? RETENTIONS
    : [...RETENTIONS, { value: retention, label: `${retention} days` }];
  const save = (): void => {
    const changed = {
      retention_days: retention === "" ? null : Number(retention),
      time_zone: zone,
      inline_confirmation: inline,
      solo_approval: solo,
    };
    update.mutate({ body: { name, settings: changed } }, { onSuccess: () => toast("The settings were saved.") });
  };
  return (
    <Card title="Workspace">
      <Form onSubmit={save} error={update.error} label="Workspace settings">
        <TextField label="Name" isRequired value={name} onChange={setName} {...fieldError(update.error, "/name")} />
        <Select
          label="Keep logs for"
          description="Deliveries, attempts, raw payloads of receipts. What is older is dropped; contacts and the audit stay."
          options={kept}
          value={retention}
          onChange={setRetention}
          {...fieldError(update.error, "/settings/retention_days")}
        />
        <ComboBox
          label="Time zone"
          description="For limits and reports that count by day."
          options={ZONES}
          value={zone}
          onChange={setZone}
          {...fieldError(update.error, "/settings/time_zone")}
        />
        <Switch isSelected={inline} onChange={setInline}>
          <span className="flex flex-col">
            Inline confirmation
            <span className="text-sm text-muted">A call may confirm an action of low or medium risk itself.</span>
          </span>
        </Switch>
        <Switch isSelected={solo} onChange={setSolo}>
          <span className="flex flex-col">
            Approving alone
            <span className="text-sm text-muted">
              The only person of the workspace may approve what that person proposed.
            </span>
          </span>
        </Switch>
        <div>
          <Button
            type="submit"
            variant="primary"
            isPending={update.isPending}
            isDisabled={!access.may("workspaces.update")}
          >
            Save
          </Button>
        </div>
      </Form>
    </Card>
  );
}
