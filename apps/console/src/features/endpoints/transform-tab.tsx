import { useQuery } from "@tanstack/react-query";
import { read } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { pretty, problemAt, problemsOf } from "../../shared/shared.ts";
import type { ProblemAt } from "../../shared/shared.ts";
import { RadioGroup, Select, TextField, toastSuccess } from "../../ui/ui.ts";
import type { Draft } from "../../ui/ui.ts";
import { MemberCard, useMemberUpdate } from "./member-card.tsx";
import { draftOfTransform, transformOf } from "./transform-draft.ts";
import type { TransformDraft } from "./transform-draft.ts";
import { TransformTest } from "./transform-test.tsx";
import { TransformVersions } from "./transform-versions.tsx";

const KINDS = [
  { value: "none", label: "Send the usual body" },
  { value: "template", label: "Fill in a template" },
  { value: "script", label: "Run a script" },
] as const;

interface TransformTabProps {
  readonly endpoint: wire.WebhookEndpoint;
  /** It outlives the tab, so that another tab does not lose it. */
  readonly draft: Draft<TransformDraft>;
}

/** Edits what changes the requests of an endpoint, tests it, and lists its versions. */
export function TransformTab({ endpoint, draft: { value: draft, change: setDraft, keep } }: TransformTabProps) {
  const { transform, faults } = transformOf(draft);
  const isFaulty = faults.length > 0;
  const update = useMemberUpdate();
  const path = { id: endpoint.id };
  const change = (next: TransformDraft): void => {
    setDraft(next);
    update.reset();
  };
  const save = (): void =>
    update.mutate(
      { path, body: { transform } },
      toastSuccess("Transformation saved. It applies to deliveries without an attempt so far.", () => keep(draft)),
    );
  return (
    <div className="flex max-w-3xl flex-col gap-4">
      <MemberCard
        title="Transformation"
        description="Changes the request before it is sent. It runs once for each delivery, and every attempt sends the same bytes."
        noun="transformation"
        path={path}
        body={{ transform }}
        pointer="/transform"
        isFaulty={isFaulty}
        error={update.error}
        isPending={update.isPending}
        onSave={save}
      >
        <TransformFields draft={draft} onChange={change} problems={problemAt(problemsOf(faults, update.error))} />
      </MemberCard>
      {transform === null ? null : <TransformTest endpoint={endpoint} transform={transform} isFaulty={isFaulty} />}
      <TransformVersions endpointId={endpoint.id} onUse={(version) => change(draftOfTransform(version))} />
    </div>
  );
}

interface TransformFieldsProps {
  readonly draft: TransformDraft;
  readonly onChange: (draft: TransformDraft) => void;
  readonly problems: ProblemAt;
}

function TransformFields({ draft, onChange, problems }: TransformFieldsProps) {
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <RadioGroup
        label="Request"
        value={draft.kind}
        onChange={(kind) => onChange({ ...draft, kind })}
        options={[...KINDS]}
      />
      {draft.kind === "template" ? <TemplateFields draft={draft} onChange={onChange} problems={problems} /> : null}
      {draft.kind === "script" ? (
        <TextField
          label="Script"
          description="JavaScript or TypeScript with one exported function transform. Return null to send nothing."
          mono
          lines={14}
          spellCheck="false"
          value={draft.source}
          onChange={(source) => onChange({ ...draft, source })}
          error={problems("/transform/source")}
        />
      ) : null}
      {draft.kind === "none" ? null : (
        <TextField
          label="Cases as JSON"
          description={
            'Have to pass before a change is saved. Such as [{"event": "order.created", "data": {}, "expect": {}}].'
          }
          mono
          lines={5}
          spellCheck="false"
          value={draft.cases}
          onChange={(cases) => onChange({ ...draft, cases })}
          error={problems("/transform/cases")}
        />
      )}
    </div>
  );
}

function TemplateFields({ draft, onChange, problems }: TransformFieldsProps) {
  const presets = useQuery({ ...read("transform_presets.list"), staleTime: Infinity });
  const list = presets.data?.data ?? [];
  const use = (key: string): void => {
    const found = list.find((preset) => preset.key === key);
    if (found === undefined) return;
    const { kind: _kind, ...template } = found.transform;
    onChange({ ...draft, template: pretty(template) });
  };
  return (
    <>
      <Select
        label="Start from a preset"
        placeholder="Choose a preset"
        value=""
        onChange={use}
        options={list.map(({ key, title }) => ({ value: key, label: title }))}
      />
      <TextField
        label="Template as JSON"
        description="Its body, and a method and headers if needed. Texts can contain paths such as ${$.data.total}, ${$.event}, ${$.id} and ${$.timestamp}."
        mono
        lines={14}
        spellCheck="false"
        value={draft.template}
        onChange={(template) => onChange({ ...draft, template })}
        error={problems("/transform/cases") === undefined ? problems("/transform") : undefined}
      />
    </>
  );
}
