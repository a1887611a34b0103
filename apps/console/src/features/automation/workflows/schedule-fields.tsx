import type { ProblemAt } from "../../../shared/shared.ts";
import { ComboBox, Select, TextField } from "../../../ui/ui.ts";
import type { ScheduleDraft } from "./workflow-draft.ts";

export interface ScheduleFieldsProps {
  readonly schedule: ScheduleDraft;
  readonly onChange: (schedule: ScheduleDraft) => void;
  readonly problems: ProblemAt;
}

const ZONES = ["UTC", ...Intl.supportedValuesOf("timeZone")].map((zone) => ({ value: zone, label: zone }));

const MISSED = [
  { value: "skip", label: "Skip them" },
  { value: "once", label: "Start one run for all of them" },
] as const;

/** Edits the times at which a workflow starts. */
export function ScheduleFields({ schedule, onChange, problems }: ScheduleFieldsProps) {
  const zoneProblem = problems("/time_zone");
  return (
    <>
      <TextField
        label="Cron"
        description="Five fields: minute, hour, day of month, month, day of week. For example, 0 9 * * MON-FRI is 9:00 on each working day."
        mono
        maxLength={200}
        value={schedule.cron}
        onChange={(cron) => onChange({ ...schedule, cron })}
        error={problems("/cron") ?? problems("")}
      />
      <ComboBox
        label="Time zone"
        options={ZONES}
        value={schedule.time_zone}
        onChange={(zone) => onChange({ ...schedule, time_zone: zone })}
        {...(zoneProblem === undefined ? {} : { error: zoneProblem })}
      />
      <Select
        label="Missed times"
        description="Times at which the service was not running."
        options={MISSED}
        value={schedule.missed}
        onChange={(missed) => onChange({ ...schedule, missed })}
      />
    </>
  );
}
