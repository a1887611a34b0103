import { Fragment } from "react";
import { below, ConditionFields, emptyCondition, responseOffers, TemplateField } from "../../shared/shared.ts";
import type { ProblemAt } from "../../shared/shared.ts";
import { ComboBox, cx, deferred, Select, TagInput, TextField } from "../../ui/ui.ts";
import type { Choices } from "./choices.ts";
import type { FieldSpec, ItemDraft, ItemKind } from "./item-kind.ts";
import { END } from "./item-members.ts";
import { shownFields, valueOfItem } from "./items.ts";
import { PairsField } from "./pairs-field.tsx";
import { useSample } from "./sample.tsx";
import { SecretField } from "./secret-field.tsx";

const HttpTrial = deferred(async () => (await import("./http-calls/http-trial.tsx")).HttpTrial);

export interface ItemFieldsProps {
  readonly item: ItemDraft;
  readonly label: string;
  readonly kinds: readonly ItemKind[];
  readonly onChange: (item: ItemDraft) => void;
  readonly problems: ProblemAt;
  readonly choices: Choices;
}

/** The fields of one action or step, as its type has them, and the request of an HTTP call. */
export function ItemFields(props: ItemFieldsProps) {
  const { item, kinds, choices } = props;
  if (item.type !== "http") return <Fields {...props} />;
  return (
    <div className="@container">
      <div className="grid grid-cols-1 items-start gap-4 @3xl:grid-cols-[3fr_2fr]">
        <Fields {...props} />
        <HttpTrial request={valueOfItem(item, kinds).value} outputId={outputIdOf(item)} earlier={choices.earlier} />
      </div>
    </div>
  );
}

/** Returns the name under which the sample keeps the item's output. */
function outputIdOf({ texts, key }: ItemDraft): string {
  return texts["id"] ?? key;
}

function Fields({ item, label, kinds, onChange, problems, choices }: ItemFieldsProps) {
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
  const fields = shownFields(item, kind);
  const typeProblem = problems("/type") ?? (fields.some(({ name }) => problems(`/${name}`)) ? undefined : problems(""));
  return (
    <div className="@container flex min-w-0 flex-col gap-3">
      {kind === undefined ? null : <p className="text-sm text-muted">{kind.does}</p>}
      {typeProblem === undefined ? null : <p className="text-sm text-bad">{typeProblem}</p>}
      <div className="grid grid-cols-1 items-start gap-3 @md:grid-cols-2">
        {fields.map((field) => (
          <Fragment key={field.name}>
            {field.section === undefined ? null : (
              <h3 className="text-sm font-semibold @md:col-span-2">{field.section}</h3>
            )}
            <div className={cx("min-w-0", field.isShort !== true && "@md:col-span-2")}>
              <ItemField
                field={field}
                item={item}
                onChange={onChange}
                problems={below(problems, `/${field.name}`)}
                choices={choices}
              />
            </div>
          </Fragment>
        ))}
      </div>
    </div>
  );
}

interface ItemFieldProps extends Pick<ItemFieldsProps, "item" | "onChange" | "problems" | "choices"> {
  readonly field: FieldSpec;
}

function ItemField(props: ItemFieldProps) {
  const { field, item, onChange, problems, choices } = props;
  const { outputs } = useSample();
  const { name } = field;
  switch (field.kind) {
    case "condition":
      return (
        <ConditionFields
          label={field.label}
          empty={field.hint ?? "Without conditions, the step condition is always met."}
          draft={item.conditions[name] ?? emptyCondition()}
          onChange={(draft) => onChange({ ...item, conditions: { ...item.conditions, [name]: draft } })}
          problems={problems}
          offers={field.isAboutResponse === true ? responseOffers(outputs[outputIdOf(item)]) : choices.values}
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
    case "pairs":
    case "rows":
      return (
        <PairsField
          label={field.label}
          one={field.one ?? field.label}
          pairs={item.pairs[name] ?? []}
          onChange={(pairs) => onChange({ ...item, pairs: { ...item.pairs, [name]: pairs } })}
          offers={choices.values}
          problems={problems}
          isList={field.kind === "rows"}
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
  if (kind === "choice" || kind === "flag")
    return <Select {...words} options={field.options ?? []} value={value} onChange={change} />;
  if (kind === "way")
    return <Select {...words} options={waysOf(choices.steps, item)} value={value} onChange={change} />;
  if (suggest === "secrets") return <SecretField {...words} value={value} onChange={change} />;
  if (suggest !== undefined)
    return <ComboBox {...words} mono options={choices[suggest]} value={value} onChange={change} />;
  const text = { ...words, value, onChange: change };
  const isJson = kind === "json" || kind === "value";
  const size = isJson ? { lines: 4, placeholder: "{}" } : kind === "long" ? { lines: 3 } : {};
  if (field.takesValues === true)
    return <TemplateField {...text} {...size} holds={isJson ? "json" : "text"} offers={choices.values} />;
  return <TextField {...text} {...size} mono={kind !== "long"} inputMode={kind === "whole" ? "numeric" : "text"} />;
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
