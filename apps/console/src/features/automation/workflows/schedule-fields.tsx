import { ComboBox, Select, TextField } from "../../../ui/ui.ts";
import type { WireFields } from "../../../ui/ui.ts";
import type { WorkflowDraft } from "./workflow-draft.ts";

export interface ScheduleFieldsProps {
  readonly fields: WireFields<WorkflowDraft>;
  /** Any problem of the schedule. */
  readonly problem: string | undefined;
}

const ZONES = ["UTC", ...Intl.supportedValuesOf("timeZone")].map((zone) => ({ value: zone, label: zone }));

const MISSED = [
  { value: "skip", label: "Skip them" },
  { value: "once", label: "Start one run for all of them" },
] as const;

/** Edits the times at which a workflow starts. */
export function ScheduleFields({ fields, problem }: ScheduleFieldsProps) {
  const cron = fields.text("/trigger/schedule/cron");
  return (
    <>
      <TextField
        label="Cron"
        description="Five fields: minute, hour, day of month, month, day of week. For example, 0 9 * * MON-FRI is 9:00 on each working day."
        mono
        maxLength={200}
        {...cron}
        error={cron.error ?? problem}
      />
      <ComboBox label="Time zone" options={ZONES} {...fields.text("/trigger/schedule/time_zone")} />
      <Select
        label="Missed times"
        description="Times at which the service was not running."
        options={MISSED}
        {...fields.choice("/trigger/schedule/missed")}
      />
    </>
  );
}
