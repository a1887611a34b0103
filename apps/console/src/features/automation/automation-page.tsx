import type { UseQueryOptions } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useWrite } from "../../api/api.ts";
import type { QueryKey } from "../../api/api.ts";
import { useAccess } from "../../session/session.ts";
import { EnvironmentBadge, PromoteButton } from "../../shared/shared.ts";
import {
  PageHeader,
  ResourcePage,
  ShowAs,
  StatusLight,
  Tabs,
  toast,
  UnsavedWarning,
  useDraft,
  usePathParameter,
  useUrlState,
} from "../../ui/ui.ts";
import type { TabItem } from "../../ui/ui.ts";
import { AutomationEditor } from "./automation-editor.tsx";
import type { Automation, AutomationKind, AutomationNames } from "./automation-kind.ts";
import { NewAutomation } from "./new-automation.tsx";

export interface AutomationPageProps<Item extends Automation, Draft extends object> {
  readonly kind: AutomationKind<Item, Draft>;
  readonly read: (id: string) => UseQueryOptions<Item, Error, Item, QueryKey>;
  /** Returns the tabs between the definition and the settings. */
  readonly tabs: (item: Item) => readonly TabItem[];
  readonly settings: (item: Item) => ReactNode;
  /** Label of the next task for an item that was just created. */
  readonly tryLabel: string;
}

/** Shows one rule or workflow: its definition, and the tabs of its kind. The id "new" shows the form that creates one. */
export function AutomationPage<Item extends Automation, Draft extends object>(props: AutomationPageProps<Item, Draft>) {
  const { kind, read, tryLabel } = props;
  if (usePathParameter("id") === "new") return <NewAutomation kind={kind} tryLabel={tryLabel} />;
  return (
    <ResourcePage read={read} heading={kind.heading}>
      {(item) => (
        <>
          <PageHeader
            title={item.name}
            back={kind.list}
            status={
              <>
                {item.enabled ? (
                  <StatusLight tone="good">On</StatusLight>
                ) : (
                  <StatusLight tone="neutral">Off</StatusLight>
                )}
                <EnvironmentBadge of={item} />
              </>
            }
            actions={
              <>
                <ShowAs operation={`${kind.area}.get`} input={{ path: { id: item.id } }} />
                <Promote kind={kind} item={item} />
              </>
            }
          />
          <AutomationTabs key={item.id} {...props} item={item} />
        </>
      )}
    </ResourcePage>
  );
}

function Promote({ kind, item }: { readonly kind: AutomationNames; readonly item: Automation }) {
  const access = useAccess();
  const promote = useWrite(`${kind.area}.promote`, { refreshes: [`${kind.area}.`] });
  return (
    <PromoteButton
      noun={kind.noun}
      of={item}
      mayPromote={access.may(`${kind.area}.promote`)}
      promote={async (body) => await promote.mutateAsync({ path: { id: item.id }, body })}
    />
  );
}

interface AutomationTabsProps<Item extends Automation, Draft extends object> extends Pick<
  AutomationPageProps<Item, Draft>,
  "kind" | "tabs" | "settings"
> {
  readonly item: Item;
}

/** Keeps the draft above the tabs, so that switching tabs loses nothing. */
function AutomationTabs<Item extends Automation, Draft extends object>(props: AutomationTabsProps<Item, Draft>) {
  const { kind, tabs, settings, item } = props;
  const [tab, setTab] = useUrlState("tab", "definition");
  const draft = useDraft(() => kind.draftOf(item));
  const access = useAccess();
  const update = useWrite(`${kind.area}.update`, { refreshes: [`${kind.area}.`] });
  const saved = (): void => {
    draft.keep(draft.value);
    toast(`${kind.heading} saved.`);
  };
  const editor = (
    <AutomationEditor
      kind={kind}
      draft={draft.value}
      onChange={draft.change}
      onSave={(body) => update.mutate({ path: { id: item.id }, body }, { onSuccess: saved })}
      onReset={update.reset}
      saveLabel={`Save ${kind.noun}`}
      isPending={update.isPending}
      maySave={access.may(`${kind.area}.update`)}
      error={update.error}
    />
  );
  return (
    <>
      <Tabs
        label={kind.heading}
        selected={tab}
        onSelect={setTab}
        tabs={[
          { id: "definition", label: "Definition", content: editor },
          ...tabs(item),
          { id: "settings", label: "Settings", content: settings(item) },
        ]}
      />
      <UnsavedWarning isUnsaved={draft.isUnsaved} />
    </>
  );
}
