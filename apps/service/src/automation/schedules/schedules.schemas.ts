import { Nullable, OneOf, ownershipFields, strict, StringExample, Timestamp, Type, WireId } from "../../lib/lib.ts";
import { GRACE_MS, MAX_CRON_CHARS, MISSED, MOST_COUNTED } from "./schedule.ts";

const Cron = StringExample("0 9 * * MON-FRI", {
  maxLength: MAX_CRON_CHARS,
  description: "A cron expression of five fields: minute, hour, day of month, month, day of week.",
});
const TimeZone = (description: string): ReturnType<typeof Type.String> =>
  StringExample("Europe/Berlin", { maxLength: 64, description });
const Missed = OneOf(
  MISSED,
  `What happens with occurrences that were missed by more than ${GRACE_MS / 60_000} minutes: nothing, or one event for all of them. Default: \`skip\`.`,
);

export const ScheduleInput = Type.Object(
  {
    cron: Cron,
    time_zone: Type.Optional(TimeZone("The IANA time zone of the expression. Default: `UTC`.")),
    missed: Type.Optional(Missed),
  },
  {
    ...strict,
    title: "WorkflowScheduleInput",
    description: "Starts a run by the clock, with the event `schedule.due`.",
    examples: [{ cron: "0 9 * * MON-FRI", time_zone: "Europe/Berlin", missed: "skip" }],
  },
);

const time = {
  at: Timestamp,
  local: StringExample("2026-11-30T09:00:00+01:00", { description: "The same time in the schedule's time zone." }),
};
const Time = Type.Object(time, { title: "ScheduleTime" });

export const ScheduleView = Type.Object(
  {
    object: OneOf(["workflow_schedule"]),
    workflow_id: WireId("wf"),
    cron: Cron,
    time_zone: TimeZone("The IANA time zone of the expression."),
    missed: Missed,
    enabled: Type.Boolean({ description: "Whether the workflow is enabled. Without it, the schedule does not fire." }),
    next: Type.Array(Time, { description: "The next five occurrences. Empty if the workflow is disabled." }),
    last_fired: Nullable(
      Type.Object(
        { ...time, event_id: WireId("evt") },
        { title: "ScheduleFiring", description: "The last occurrence." },
      ),
    ),
    skipped: Nullable(
      Type.Object(
        {
          count: Type.Integer({ description: `At most ${MOST_COUNTED} occurrences are counted.`, examples: [3] }),
          first: Time,
          last: Time,
        },
        { title: "ScheduleGap", description: "The occurrences that the last outage of the service prevented." },
      ),
    ),
    scope_kind: ownershipFields.scope_kind,
    scope_key: ownershipFields.scope_key,
    environment: ownershipFields.environment,
  },
  { title: "WorkflowSchedule" },
);
