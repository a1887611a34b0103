import { below } from "../../shared/shared.ts";
import type { ProblemAt } from "../../shared/shared.ts";
import { ComboBox, Select, TagInput, TextField } from "../../ui/ui.ts";
import type { Choices } from "./choices.ts";
import { ConditionFields } from "./condition-fields.tsx";
import { emptyCondition } from "./conditions.ts";
import { END } from "./items.ts";
import type { FieldSpec, ItemDraft, ItemKind } from "./items.ts";

export interface ItemFieldsProps {
  readonly item: ItemDraft;
  readonly label: string;
  readonly kinds: readonly ItemKind[];
  readonly onChange: (item: ItemDraft) => void;
  readonly problems: ProblemAt;
  readonly choices: Choices;
}

/** The fields of one action or step, as its type has them. */
export function ItemFields({ item, label, kinds, onChange, problems, choices }: ItemFieldsProps) {
  const kind = kinds.find(({ type }) => type === item.type);
  if (item.isJson) {
    return (
      <TextField
        label={`${label} as JSON`}
        mono
        lines={8}
        value={item.json}
        onChange={(json) => onChange({ ...item, json })}
        error={problems("")}
      />
    );
  }
  const fields = kind?.fields ?? [];
  const typeProblem = problems("/type") ?? (fields.some(({ name }) => problems(`/${name}`)) ? undefined : problems(""));
  return (
    <div className="flex flex-col gap-3">
      {kind === undefined ? null : <p className="text-sm text-muted">{kind.does}</p>}
      {typeProblem === undefined ? null : <p className="text-sm text-bad">{typeProblem}</p>}
      {fields.map((field) => (
        <ItemField
          key={field.name}
          field={field}
          item={item}
          onChange={onChange}
          problems={below(problems, `/${field.name}`)}
          choices={choices}
        />
      ))}
    </div>
  );
}

interface ItemFieldProps extends Pick<ItemFieldsProps, "item" | "onChange" | "problems" | "choices"> {
  readonly field: FieldSpec;
}

function ItemField(props: ItemFieldProps) {
  const { field, item, onChange, problems, choices } = props;
  const { name } = field;
  switch (field.kind) {
    case "condition":
      return (
        <ConditionFields
          label={field.label}
          empty="Without conditions, the step condition is always met."
          draft={item.conditions[name] ?? emptyCondition()}
          onChange={(draft) => onChange({ ...item, conditions: { ...item.conditions, [name]: draft } })}
          problems={problems}
        />
      );
    case "tags":
      return (
        <TagInput
          {...wordsOf(field, problems(""))}
          values={item.tags[name] ?? []}
          onChange={(values) => onChange({ ...item, tags: { ...item.tags, [name]: values } })}
          suggestions={field.suggest === "roles" ? choices.roles : []}
        />
      );
    default:
      return <OneText {...props} />;
  }
}

function OneText({ field, item, onChange, problems, choices }: ItemFieldProps) {
  const { name, kind, suggest } = field;
  const value = item.texts[name] ?? "";
  const words = wordsOf(field, problems(""));
  const change = (text: string): void => onChange({ ...item, texts: { ...item.texts, [name]: text } });
  if (kind === "way")
    return <Select {...words} options={waysOf(choices.steps, item)} value={value} onChange={change} />;
  if (suggest !== undefined)
    return <ComboBox {...words} mono options={choices[suggest]} value={value} onChange={change} />;
  if (kind === "json") return <TextField {...words} mono lines={4} placeholder="{}" value={value} onChange={change} />;
  if (kind === "long") return <TextField {...words} lines={3} value={value} onChange={change} />;
  return (
    <TextField {...words} mono inputMode={kind === "whole" ? "numeric" : "text"} value={value} onChange={change} />
  );
}

function waysOf(steps: readonly string[], item: ItemDraft): readonly { value: string; label: string }[] {
  const others = [...new Set(steps)].filter((id) => id !== "" && id !== item.texts["id"]);
  return [
    { value: "", label: "Default" },
    { value: END, label: "End" },
    ...others.map((id) => ({ value: id, label: id })),
  ];
}

function wordsOf({ label, hint }: FieldSpec, error: string | undefined) {
  return {
    label,
    ...(hint === undefined ? {} : { description: hint }),
    ...(error === undefined ? {} : { error }),
  };
}
