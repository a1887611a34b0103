import { eventsOf } from "./event-type.ts";
import { ada, choice, count, customer, entity, measure, orNull, text, time, url } from "./shapes.ts";

const metric = text("Name of the metric");
const period = { period_start: time("Start of the period"), period_end: time("End of the period") };
const lastHour = { period_start: "2026-11-20T08:00:00.000Z", period_end: "2026-11-20T09:00:00.000Z" } as const;

export const analyticsEvents = eventsOf("analytics", [
  {
    name: "analytics.anomaly",
    title: "Anomaly detected",
    description: "A metric left the range that its history suggests.",
    data: {
      metric,
      value: measure("Measured value"),
      expected: measure("Expected value"),
      deviation: measure("Difference from the expected value, in standard deviations"),
      direction: choice("Direction of the difference", ["above", "below"]),
      severity: choice("Severity", ["low", "medium", "high", "critical"]),
      segment: orNull(text("The segment concerned, null for all data")),
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
    description: "A metric reached its goal.",
    data: {
      goal: entity("The goal", { name: text("Name"), target: measure("Target value") }),
      metric,
      value: measure("Measured value"),
      reached_at: time("Time at which this happened"),
      ...period,
    },
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
    description: "A metric rose above a threshold, or fell below it.",
    data: {
      metric,
      value: measure("Measured value"),
      threshold: measure("The threshold"),
      direction: choice("Direction of the difference", ["above", "below"]),
      crossed_at: time("Time at which this happened"),
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
    description: "A report was created and can be downloaded.",
    data: {
      report: entity("The report", {
        name: text("Name"),
        format: text("File format, such as pdf, csv or html"),
        url: url("URL of the report"),
        rows: count("Number of rows"),
      }),
      ready_at: time("Time at which this happened"),
      ...period,
    },
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
    description: "A customer entered a segment.",
    data: {
      segment: entity("The segment", { name: text("Name") }),
      customer,
      entered_at: time("Time at which this happened"),
    },
    required: ["segment", "customer"],
    example: {
      segment: { external_id: "seg_vip", name: "Regular buyers" },
      customer: ada,
      entered_at: "2026-11-20T09:33:00.000Z",
    },
  },
]);
