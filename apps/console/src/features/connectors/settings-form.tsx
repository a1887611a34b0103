import { useState } from "react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { useAccess } from "../../session/session.ts";
import {
  Button,
  Card,
  fieldError,
  Form,
  Select,
  StatusLight,
  Switch,
  TextField,
  toast,
  toastError,
} from "../../ui/ui.ts";
import { connectorWords } from "./connector-states.tsx";
import { changesOf, formOf } from "./form.ts";
import type { Setting, Texts } from "./form.ts";

const REFRESHES = ["connectors.", "action_contracts."];

/** Shows the settings as the connector describes them. The form saves and tests them, and enables the connector. */
export function SettingsForm({ connector }: { readonly connector: wire.Connector }) {
  const { groups, hasTest } = formOf(connector.settings_schema);
  const [texts, setTexts] = useState<Texts>({});
  const access = useAccess();
  const update = useWrite("connectors.update", { refreshes: REFRESHES });
  const enable = useWrite("connectors.enable", { refreshes: REFRESHES });
  const test = useWrite("connectors.test", { refreshes: ["connectors."] });
  const error = update.error ?? enable.error;
  const settings = changesOf(groups, connector.settings, texts);
  const saved = (text: string): void => {
    setTexts({});
    toast(text);
  };
  const input = { path: { key: connector.key }, body: { settings } };
  const save = (): void => {
    enable.reset();
    update.mutate(input, { onSuccess: () => saved("Settings saved.") });
  };
  const start = (): void => {
    update.reset();
    enable.mutate(input, { onSuccess: () => saved(`${connector.name ?? connector.key} enabled.`) });
  };
  return (
    <Card
      title="Settings"
      description={connector.enabled ? "Changes apply from the next call." : connectorWords(connector.state).means}
    >
      <Form guardsEdits onSubmit={connector.enabled ? save : start} error={error} label="Settings">
        {groups.map((group) => (
          <fieldset key={group.title} className="flex flex-col gap-4">
            <legend className="pb-2 text-sm font-semibold">{group.title}</legend>
            {group.settings.map((setting) => (
              <SettingField
                key={setting.name}
                setting={setting}
                text={texts[setting.name] ?? shownValue(connector, setting)}
                isSet={connector.secrets[setting.name] === "set"}
                error={error}
                onChange={(text) => setTexts((before) => ({ ...before, [setting.name]: text }))}
              />
            ))}
          </fieldset>
        ))}
        {groups.length === 0 ? <p className="text-muted">No settings.</p> : null}
        <div className="flex flex-wrap items-center gap-2">
          {connector.enabled ? null : (
            <Button
              type="submit"
              variant="primary"
              isDisabled={!access.may("connectors.enable")}
              isPending={enable.isPending}
            >
              Enable connector
            </Button>
          )}
          {/* Incomplete settings can be saved before the connector is enabled: no field is required for that. */}
          <Button
            {...(connector.enabled ? { type: "submit" as const } : { onPress: save })}
            isDisabled={!access.may("connectors.update") || Object.keys(settings).length === 0}
            isPending={update.isPending}
          >
            Save settings
          </Button>
          {hasTest ? (
            <Button
              variant="quiet"
              isPending={test.isPending}
              isDisabled={!access.may("connectors.test") || !connector.enabled || Object.keys(settings).length > 0}
              onPress={() => test.mutate({ path: { key: connector.key } }, { onError: toastError })}
            >
              Test
            </Button>
          ) : null}
          <span role="status">
            {test.data === undefined ? null : (
              <StatusLight tone={test.data.ok ? "good" : "bad"}>
                <bdi className="whitespace-normal">{test.data.message}</bdi>
              </StatusLight>
            )}
          </span>
        </div>
      </Form>
    </Card>
  );
}

function shownValue(connector: wire.Connector, setting: Setting): string {
  const value = (connector.settings as Readonly<Record<string, string | number | boolean | undefined>>)[setting.name];
  return value === undefined ? (setting.fallback ?? "") : String(value);
}

interface SettingFieldProps {
  readonly setting: Setting;
  readonly text: string;
  readonly isSet: boolean;
  readonly error: unknown;
  readonly onChange: (text: string) => void;
}

/** The field of one setting, of the kind that its type needs. */
export function SettingField({ setting, text, isSet, error, onChange }: SettingFieldProps) {
  const problem = fieldError(error, `/settings/${setting.name}`);
  const described = setting.description === undefined ? {} : { description: setting.description };
  if (setting.options !== undefined) {
    const options = setting.options.map((value) => ({ value, label: value }));
    return (
      <Select label={setting.title} options={options} value={text} onChange={onChange} {...described} {...problem} />
    );
  }
  if (setting.type === "boolean") {
    return (
      <Switch isSelected={text === "true"} onChange={(isOn) => onChange(String(isOn))}>
        {setting.title}
      </Switch>
    );
  }
  return (
    <TextField
      label={setting.title}
      value={setting.isSecret && text === (setting.fallback ?? "") ? "" : text}
      onChange={onChange}
      autoComplete="off"
      isRequired={setting.isRequired && !isSet}
      placeholder={setting.isSecret && isSet ? "Set. Enter a new value to replace it." : ""}
      {...(setting.isSecret ? { type: "password" as const } : {})}
      {...(setting.isUrl ? { inputMode: "url" as const } : {})}
      {...described}
      {...problem}
    />
  );
}
