import { useQuery } from "@tanstack/react-query";
import { useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { signInMethodsQuery, useAccess } from "../../../session/session.ts";
import { useStepUp } from "../../../shared/shared.ts";
import { Button, Card, ComboBox, Form, Select, Switch, TextField, toast, useWireForm } from "../../../ui/ui.ts";

const RETENTIONS = [
  { value: "", label: "Installation default" },
  ...["3", "7", "14", "30", "90", "365"].map((days) => ({ value: days, label: `${days} days` })),
];
const ZONES = Intl.supportedValuesOf("timeZone").map((zone) => ({ value: zone, label: zone }));

export function WorkspaceForm({ workspace }: { readonly workspace: wire.Workspace }) {
  const { retention_days, time_zone, inline_confirmation, solo_approval } = workspace.settings;
  const { require_step_up, require_approval_for_configuration, password_sign_in } = workspace.settings;
  const update = useWrite("workspaces.update", { refreshes: ["workspaces.", "auth.session"] });
  const form = useWireForm(
    {
      name: workspace.name,
      settings: {
        retention_days,
        time_zone,
        inline_confirmation,
        solo_approval,
        require_step_up,
        require_approval_for_configuration,
        password_sign_in,
      },
    },
    update.error,
  );
  const stepUp = useStepUp();
  const methods = useQuery(signInMethodsQuery);
  const hasOidc = (methods.data?.oidc ?? null) !== null || !password_sign_in;
  const access = useAccess();
  const retention = form.whole("/settings/retention_days", null);
  const kept = RETENTIONS.some((one) => one.value === retention.value)
    ? RETENTIONS
    : [...RETENTIONS, { value: retention.value, label: `${retention.value} days` }];
  const save = (): void => {
    const { name, settings: changed } = form.value;
    const { password_sign_in: _passwords, ...others } = changed;
    const body = { name, settings: hasOidc ? changed : others };
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
        <TextField label="Name" isRequired {...form.text("/name")} />
        <Select
          label="Log retention"
          description="Older deliveries, attempts and bodies of receipts are deleted. Contacts and the audit log are kept."
          options={kept}
          {...retention}
        />
        <ComboBox
          label="Time zone"
          description="The default of schedules and standing approvals, whose days begin in it. Reports use UTC."
          options={ZONES}
          {...form.text("/settings/time_zone")}
        />
        <Switch {...form.flag("/settings/inline_confirmation")}>
          <span className="flex flex-col">
            Inline confirmation
            <span className="text-sm text-muted">
              A request can confirm a low- or medium-risk action with <code>confirmed: true</code>.
            </span>
          </span>
        </Switch>
        <Switch {...form.flag("/settings/solo_approval")}>
          <span className="flex flex-col">
            Solo approval
            <span className="text-sm text-muted">
              If the workspace has one member, that member can approve their own requests.
            </span>
          </span>
        </Switch>
        <StepUpSwitch {...form.flag("/settings/require_step_up")} />
        <ConfigurationSwitch {...form.flag("/settings/require_approval_for_configuration")} />
        {hasOidc ? (
          <Switch {...form.flag("/settings/password_sign_in")}>
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

function ConfigurationSwitch({ isSelected, onChange }: SwitchProps) {
  return (
    <Switch isSelected={isSelected} onChange={onChange}>
      <span className="flex flex-col">
        Approval for configurations
        <span className="text-sm text-muted">
          A configuration file is applied in live only after another person has approved its changes. Only an owner can
          turn this off.
        </span>
      </span>
    </Switch>
  );
}
