import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { call, readExact, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { DeleteCard, SecretCard } from "../../automation/automation.ts";
import { HeadersCard } from "../../shared/shared.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import {
  Card,
  KeyValue,
  Loaded,
  PageHeader,
  RelativeTime,
  ShowAs,
  StatusLight,
  Tabs,
  toast,
  toastError,
  UnsavedWarning,
  useDraft,
  usePathParameter,
  useUrlState,
} from "../../ui/ui.ts";
import { NewRule } from "./new-rule.tsx";
import { draftOfRule } from "../../features/automation/rules/rule-draft.ts";
import { RuleEditor } from "../../features/automation/rules/rule-fields.tsx";
import { RuleRuns } from "../../features/automation/rules/rule-runs.tsx";
import { RuleTest } from "./rule-test.tsx";

const REFRESHES = ["rules."];

/** One rule: what it does, what it makes of a past event, what it did. */
export function Screen() {
  const id = usePathParameter("id");
  return id === "new" ? <NewRule /> : <OneRule key={id} id={id} />;
}

function OneRule({ id }: { readonly id: string }) {
  const query = useQuery(readExact("rules.get", { path: { id } }));
  return (
    <Loaded query={query} label="Loading the rule" page="Rule">
      {(rule) => <RulePage rule={rule} />}
    </Loaded>
  );
}

function RulePage({ rule }: { readonly rule: wire.Rule }) {
  const [tab, setTab] = useUrlState("tab", "definition");
  return (
    <>
      <PageHeader
        title={rule.name}
        back={{ to: paths.rules, label: "Rules" }}
        status={
          rule.enabled ? <StatusLight tone="good">On</StatusLight> : <StatusLight tone="neutral">Off</StatusLight>
        }
        actions={<ShowAs operation="rules.get" input={{ path: { id: rule.id } }} />}
      />
      <RuleTabs rule={rule} tab={tab} onTab={setTab} />
    </>
  );
}

interface RuleTabsProps {
  readonly rule: wire.Rule;
  readonly tab: string;
  readonly onTab: (tab: string) => void;
}

/** The draft stands above the tabs: looking at another one loses nothing. */
function RuleTabs({ rule, tab, onTab }: RuleTabsProps) {
  const draft = useDraft(() => draftOfRule(rule));
  const access = useAccess();
  const update = useWrite("rules.update", { refreshes: REFRESHES });
  const editor = (
    <RuleEditor
      draft={draft.value}
      onChange={draft.change}
      onSave={(body) =>
        update.mutate(
          { path: { id: rule.id }, body },
          {
            onSuccess: () => {
              draft.keep(draft.value);
              toast("Saved.");
            },
          },
        )
      }
      onReset={update.reset}
      saveLabel="Save the rule"
      isPending={update.isPending}
      maySave={access.may("rules.update")}
      error={update.error}
    />
  );
  return (
    <>
      <Tabs
        label="Rule"
        selected={tab}
        onSelect={onTab}
        tabs={[
          { id: "definition", label: "Definition", content: editor },
          { id: "test", label: "Test", content: <RuleTest rule={rule} /> },
          { id: "runs", label: "Runs", content: <RuleRuns rule={rule} /> },
          { id: "settings", label: "Settings", content: <Settings rule={rule} /> },
        ]}
      />
      <UnsavedWarning isUnsaved={draft.isUnsaved} />
    </>
  );
}

function Settings({ rule }: { readonly rule: wire.Rule }) {
  const access = useAccess();
  const navigate = useNavigate();
  const path = { id: rule.id };
  const regenerate = useWrite("rules.secret.regenerate", { refreshes: REFRESHES });
  const remove = useWrite("rules.delete", { refreshes: ["rules.list"] });
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Card title="About it">
        <KeyValue
          rows={[
            { label: "Id", value: <code className="break-all">{rule.id}</code> },
            { label: "Version", value: rule.version },
            { label: "Acts as", value: <code className="break-all">{rule.author.id}</code> },
            { label: "Made", value: <RelativeTime at={rule.created_at} /> },
            { label: "Changed", value: <RelativeTime at={rule.updated_at} /> },
          ]}
        />
      </Card>
      <SecretCard
        description="The rule's webhooks are signed with it."
        mayReveal={access.may("rules.secret")}
        mayRegenerate={access.may("rules.secret.regenerate")}
        reveal={async () => await call("rules.secret", { path })}
        regenerate={async (seconds) =>
          (await regenerate.mutateAsync({ path, body: { overlap_seconds: seconds } })).signing_secret
        }
      />
      {hasHeaders(rule) ? (
        <HeadersCard
          mayReveal={access.may("rules.headers")}
          reveal={async () => (await call("rules.headers", { path })).webhooks}
        />
      ) : null}
      <DeleteCard
        what="rule"
        name={rule.name}
        description="It listens no more; what it did stays in the log."
        mayDelete={access.may("rules.delete")}
        isPending={remove.isPending}
        instead="switching it off"
        onDelete={() =>
          remove.mutate(
            { path },
            { onSuccess: () => void navigate({ to: paths.rules, ignoreBlocker: true }), onError: toastError },
          )
        }
      />
    </div>
  );
}

function hasHeaders({ then }: wire.Rule): boolean {
  return then.some((one) => "headers" in one);
}
