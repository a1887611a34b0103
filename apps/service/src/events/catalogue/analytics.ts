import { eventsOf } from "./event-type.ts";
import { ada, choice, count, customer, entity, measure, orNull, text, time, url } from "./shapes.ts";

const metric = text("What is measured");
const period = { period_start: time("Begin of the period"), period_end: time("End of the period") };
const lastHour = { period_start: "2026-11-20T08:00:00.000Z", period_end: "2026-11-20T09:00:00.000Z" } as const;

export const analyticsEvents = eventsOf("analytics", [
  {
    name: "analytics.anomaly",
    title: "Anomaly detected",
    description: "A metric left the range that its past suggests.",
    data: {
      metric,
      value: measure("What was measured"),
      expected: measure("What was expected"),
      deviation: measure("Distance from what was expected, in standard deviations"),
      direction: choice("Which way", ["above", "below"]),
      severity: choice("How bad", ["low", "medium", "high", "critical"]),
      segment: orNull(text("The part concerned, null for the whole")),
      ...period,
    },
    required: ["metric", "value"],
    example: {
      metric: "checkout.conversion_rate",
      value: 0.011,
      expected: 0.034,
      deviation: -4.2,
      direction: "below",
      severity: "high",
      segment: "mobile",
      ...lastHour,
    },
  },
  {
    name: "analytics.goal_reached",
    title: "Goal reached",
    description: "A metric reached the goal that was set for it.",
    data: {
      goal: entity("The goal", { name: text("What it is called"), target: measure("What was to be reached") }),
      metric,
      value: measure("What was measured"),
      reached_at: time("When"),
      ...period,
    },
    required: ["goal"],
    example: {
      goal: { external_id: "goal_q4_revenue", name: "Revenue in the fourth quarter", target: 250_000 },
      metric: "revenue",
      value: 250_310.5,
      reached_at: "2026-11-20T09:00:00.000Z",
      period_start: "2026-10-01T00:00:00.000Z",
      period_end: "2027-01-01T00:00:00.000Z",
    },
  },
  {
    name: "analytics.threshold_crossed",
    title: "Threshold crossed",
    description: "A metric rose above a fixed line, or fell below it.",
    data: {
      metric,
      value: measure("What was measured"),
      threshold: measure("The line"),
      direction: choice("Which way", ["above", "below"]),
      crossed_at: time("When"),
    },
    required: ["metric", "value", "threshold"],
    example: {
      metric: "api.error_rate",
      value: 0.021,
      threshold: 0.02,
      direction: "above",
      crossed_at: "2026-11-20T09:04:00.000Z",
    },
  },
  {
    name: "analytics.report_ready",
    title: "Report ready",
    description: "A report was computed and can be fetched.",
    data: {
      report: entity("The report", {
        name: text("What it is called"),
        format: text("Such as pdf, csv or html"),
        url: url("Where to fetch it"),
        rows: count("How many rows it has"),
      }),
      ready_at: time("When"),
      ...period,
    },
    required: ["report"],
    example: {
      report: {
        external_id: "rep_5512",
        name: "Weekly sales",
        format: "csv",
        url: "https://reports.example.com/rep_5512.csv",
        rows: 1840,
      },
      ready_at: "2026-11-23T05:00:41.000Z",
      period_start: "2026-11-16T00:00:00.000Z",
      period_end: "2026-11-23T00:00:00.000Z",
    },
  },
  {
    name: "analytics.segment_entered",
    title: "Segment entered",
    description: "A customer began to match a segment.",
    data: { segment: entity("The segment", { name: text("What it is called") }), customer, entered_at: time("When") },
    required: ["segment", "customer"],
    example: {
      segment: { external_id: "seg_vip", name: "Regular buyers" },
      customer: ada,
      entered_at: "2026-11-20T09:33:00.000Z",
    },
  },
]);
