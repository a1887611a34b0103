import { t } from "../../lib/lib.ts";
import { GRACE_MS, MAX_CRON_CHARS, MISSED, MOST_COUNTED } from "./schedule.ts";

const Cron = t.StringExample("0 9 * * MON-FRI", {
  maxLength: MAX_CRON_CHARS,
  description: "A cron expression of five fields: minute, hour, day of month, month, day of week.",
});
const TimeZone = (description: string): ReturnType<typeof t.String> =>
  t.StringExample("Europe/Berlin", { maxLength: 64, description });
const Missed = t.OneOf(
  MISSED,
  `What happens with occurrences that were missed by more than ${GRACE_MS / 60_000} minutes: nothing, or one event for all of them. Default: \`skip\`.`,
);

export const ScheduleInput = t.Object(
  {
    cron: Cron,
    time_zone: t.Optional(TimeZone("The IANA time zone of the expression. Default: `UTC`.")),
    missed: t.Optional(Missed),
  },
  {
    ...t.strict,
    title: "WorkflowScheduleInput",
    description: "Starts a run by the clock, with the event `schedule.due`.",
    examples: [{ cron: "0 9 * * MON-FRI", time_zone: "Europe/Berlin", missed: "skip" }],
  },
);

const time = {
  at: t.Timestamp,
  local: t.StringExample("2026-11-30T09:00:00+01:00", "The same time in the schedule's time zone."),
};
const Time = t.Object(time, { title: "ScheduleTime" });

export const ScheduleView = t.Object(
  {
    object: t.OneOf(["workflow_schedule"]),
    workflow_id: t.WireId("wf"),
    cron: Cron,
    time_zone: TimeZone("The IANA time zone of the expression."),
    missed: Missed,
    enabled: t.Boolean({ description: "Whether the workflow is enabled. Without it, the schedule does not fire." }),
    next: t.Array(Time, { description: "The next five occurrences. Empty if the workflow is disabled." }),
    last_fired: t.Nullable(
      t.Object(
        { ...time, event_id: t.WireId("evt") },
        { title: "ScheduleFiring", description: "The last occurrence." },
      ),
    ),
    skipped: t.Nullable(
      t.Object(
        {
          count: t.Integer({ description: `At most ${MOST_COUNTED} occurrences are counted.`, examples: [3] }),
          first: Time,
          last: Time,
        },
        { title: "ScheduleGap", description: "The occurrences that the last outage of the service prevented." },
      ),
    ),
    scope_kind: t.ownershipFields.scope_kind,
    scope_key: t.ownershipFields.scope_key,
    environment: t.ownershipFields.environment,
  },
  { title: "WorkflowSchedule" },
);
