import { useState } from "react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { useAccess } from "../../session/session.ts";
import { PromotionDialog, PromotionWarnings } from "../../shared/shared.ts";
import { KeyValue } from "../../ui/ui.ts";
import { changesOf, formOf } from "./form.ts";
import type { Setting, Texts } from "./form.ts";
import { SettingField } from "./settings-form.tsx";
import { widening } from "./update.tsx";

const REFRESHES = ["connectors.", "action_contracts."];

/** Opens the difference between the sandbox's version of a connector and live, and promotes the version. */
export function PromoteConnector({ sandbox }: { readonly sandbox: wire.Connector }) {
  const [texts, setTexts] = useState<Texts>({});
  const access = useAccess();
  const look = useWrite("connectors.promote");
  const confirm = useWrite("connectors.promote", { refreshes: REFRESHES });
  const path = { key: sandbox.key };
  const seen = look.data;
  const groups = formOf(sandbox.settings_schema).groups;
  const missing = groups.flatMap(({ settings }) =>
    settings.filter(({ name }) => seen?.missing_settings.includes(name)),
  );
  const open = (): void => {
    setTexts({});
    look.mutate({ path, body: { dry_run: true } });
  };
  const press = (done: () => void): void => {
    if (seen === undefined) return;
    const settings = changesOf(groups, {}, texts);
    const body = {
      source_digest: seen.source_digest,
      live_digest: seen.live_digest,
      ...(seen.downgrade ? { allow_downgrade: true } : {}),
      ...(Object.keys(settings).length === 0 ? {} : { settings }),
    };
    confirm.mutate({ path, body }, { onSuccess: done });
  };
  return (
    <PromotionDialog
      noun="connector"
      mayPromote={access.may("connectors.promote")}
      onOpen={open}
      look={look}
      confirm={confirm}
      isReady={seen !== undefined && seen.effect !== "none"}
      onConfirm={press}
      success={`Version ${seen?.source_version ?? ""} was promoted to live.`}
    >
      {seen === undefined ? null : <Difference seen={seen} />}
      <Missing
        settings={missing}
        texts={texts}
        error={confirm.error}
        onChange={(name, text) => setTexts((before) => ({ ...before, [name]: text }))}
      />
    </PromotionDialog>
  );
}

function Difference({ seen }: { readonly seen: wire.ConnectorPromotion }) {
  const wider = widening(seen.adds);
  return (
    <>
      <p>{effectText(seen)}</p>
      <PromotionWarnings warnings={seen.warnings} />
      {wider.length === 0 ? (
        <p className="text-muted">This version requests no additional permissions.</p>
      ) : (
        <KeyValue rows={wider} />
      )}
    </>
  );
}

interface MissingProps {
  readonly settings: readonly Setting[];
  readonly texts: Texts;
  readonly error: unknown;
  readonly onChange: (name: string, text: string) => void;
}

/** Asks for the settings that live lacks: those of the sandbox are not copied. */
function Missing({ settings, texts, error, onChange }: MissingProps) {
  if (settings.length === 0) return null;
  return (
    <fieldset className="flex flex-col gap-4">
      <legend className="pb-2 text-sm font-semibold">Settings that live needs</legend>
      {settings.map((setting) => (
        <SettingField
          key={setting.name}
          setting={setting}
          text={texts[setting.name] ?? setting.fallback ?? ""}
          isSet={false}
          error={error}
          onChange={(text) => onChange(setting.name, text)}
        />
      ))}
    </fieldset>
  );
}

function effectText({
  effect,
  source_version: source,
  live_version: live,
  downgrade,
}: wire.ConnectorPromotion): string {
  if (effect === "create") return `Live does not have this connector. Version ${source} will be enabled.`;
  if (effect === "none") return `Live runs version ${source}, as the sandbox does. Nothing to promote.`;
  if (source === live) return `Version ${source} will be enabled in live. Live keeps its settings.`;
  const older = downgrade ? ", which is older" : "";
  return `Version ${live} of live will be replaced by ${source}${older}. Live keeps its settings.`;
}
