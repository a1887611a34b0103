import { usePages } from "../../api/api.ts";
import { Checkbox, cx } from "../../ui/ui.ts";

export interface AgentFieldsProps {
  /** `key:key_…` and `member:mem_…`. */
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
  readonly error: string | undefined;
}

/** Lets an owner choose the callers: AI and service keys, and the AI clients of members. */
export function AgentFields({ values, onChange, error }: AgentFieldsProps) {
  const keys = usePages("keys.list", { query: { limit: 100 } }).rows.filter(
    (key) => key.revoked_at === null && key.actor_type !== "user",
  );
  const members = usePages("members.list", { query: { limit: 100 } }).rows;
  const groups = [
    { label: "API keys", options: keys.map((key) => ({ value: `key:${key.id}`, label: key.name })) },
    {
      label: "AI clients of members",
      options: members.map((member) => ({ value: `member:${member.id}`, label: member.name })),
    },
  ];
  return (
    <div className="flex flex-col gap-4">
      {groups.map(({ label, options }) => (
        <div key={label} role="group" aria-label={label} className="flex flex-col gap-2">
          <p className={cx("text-sm font-medium", error === undefined ? "text-ink" : "text-bad")}>{label}</p>
          {options.length === 0 ? <p className="text-sm text-muted">None yet.</p> : null}
          {options.map(({ value, label: name }) => (
            <Checkbox
              key={value}
              isSelected={values.includes(value)}
              onChange={(isOn) => onChange(isOn ? [...values, value] : values.filter((one) => one !== value))}
            >
              <bdi className="break-words">{name}</bdi>
            </Checkbox>
          ))}
        </div>
      ))}
      {error === undefined ? null : <p className="text-sm text-bad">{error}</p>}
    </div>
  );
}
