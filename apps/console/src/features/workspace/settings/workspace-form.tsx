import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { signInMethodsQuery, useAccess } from "../../../session/session.ts";
import { useStepUp } from "../../../shared/shared.ts";
import { Button, Card, ComboBox, fieldError, Form, Select, Switch, TextField, toast } from "../../../ui/ui.ts";

const RETENTIONS = [
  { value: "", label: "Installation default" },
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
  const [asksProof, setAsksProof] = useState(settings.require_step_up);
  const stepUp = useStepUp();
  const [passwords, setPasswords] = useState(settings.password_sign_in);
  const methods = useQuery(signInMethodsQuery);
  const hasOidc = (methods.data?.oidc ?? null) !== null || !settings.password_sign_in;
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
      require_step_up: asksProof,
      ...(hasOidc ? { password_sign_in: passwords } : {}),
    };
    const body = { name, settings: changed };
    update.mutate(
      { body },
      {
        onSuccess: () => toast("Settings saved."),
        onError: stepUp.orProve({ operation: "workspaces.update", body }, save),
      },
    );
  };
  return (
    <Card title="Workspace">
      <Form guardsEdits onSubmit={save} error={update.error} label="Workspace settings">
        <TextField label="Name" isRequired value={name} onChange={setName} {...fieldError(update.error, "/name")} />
        <Select
          label="Log retention"
          description="Older deliveries, attempts and bodies of receipts are deleted. Contacts and the audit log are kept."
          options={kept}
          value={retention}
          onChange={setRetention}
          {...fieldError(update.error, "/settings/retention_days")}
        />
        <ComboBox
          label="Time zone"
          description="The default of schedules and standing approvals, whose days begin in it. Reports use UTC."
          options={ZONES}
          value={zone}
          onChange={setZone}
          {...fieldError(update.error, "/settings/time_zone")}
        />
        <Switch isSelected={inline} onChange={setInline}>
          <span className="flex flex-col">
            Inline confirmation
            <span className="text-sm text-muted">
              A request can confirm a low- or medium-risk action with <code>confirmed: true</code>.
            </span>
          </span>
        </Switch>
        <Switch isSelected={solo} onChange={setSolo}>
          <span className="flex flex-col">
            Solo approval
            <span className="text-sm text-muted">
              If the workspace has one member, that member can approve their own requests.
            </span>
          </span>
        </Switch>
        <StepUpSwitch isSelected={asksProof} onChange={setAsksProof} />
        {hasOidc ? (
          <Switch isSelected={passwords} onChange={setPasswords}>
            <span className="flex flex-col">
              Password sign-in
              <span className="text-sm text-muted">
                Without it, members sign in with OpenID Connect only, and sessions that a password opened end.
              </span>
            </span>
          </Switch>
        ) : null}
        <div>
          <Button
            type="submit"
            variant="primary"
            isPending={update.isPending}
            isDisabled={!access.may("workspaces.update")}
          >
            Save settings
          </Button>
        </div>
      </Form>
      {stepUp.dialog}
    </Card>
  );
}

interface SwitchProps {
  readonly isSelected: boolean;
  readonly onChange: (isSelected: boolean) => void;
}

function StepUpSwitch({ isSelected, onChange }: SwitchProps) {
  return (
    <Switch isSelected={isSelected} onChange={onChange}>
      <span className="flex flex-col">
        Passkey for high risk
        <span className="text-sm text-muted">
          An approval or undo of a high-risk action, and turning off a protection, ask for a passkey or an authenticator
          code. Keys, rules and Slack cannot do these. Only an owner can turn this off.
        </span>
      </span>
    </Switch>
  );
}
