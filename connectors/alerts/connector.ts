import { AbstractConnector } from "@junction/connector";
import type { ConnectorEvent, Json, JsonObject } from "@junction/connector";

const HEARD = [
  "alert.raised",
  "analytics.anomaly",
  "analytics.threshold_crossed",
  "connector.failed",
  "crm.deal.won",
  "customer.signed_up",
  "dispute.opened",
  "invoice.overdue",
  "invoice.payment_failed",
  "key.expiring",
  "payment.failed",
  "product.out_of_stock",
  "security.suspicious_activity",
  "subscription.cancelled",
  "ticket.created",
  "ticket.escalated",
  "webhook.endpoint.disabled",
] as const;

type Channel = "slack" | "mail";

/** How many alerts there were in a minute, and how many too many. */
interface Pace {
  readonly minute: string;
  readonly sent: number;
  readonly left_out: number;
}

/** What was done for an event already, should it be told of once more. */
interface Progress {
  readonly left_out: number;
  readonly done: readonly Channel[];
}

const PACE = "pace";
const PACE_TRIES = 20;
const WEEK_SECONDS = 604_800;
const MAX_VALUE = 300;
const MAX_SUBJECT = 200;
const MAX_ADDRESSES = 10;
/** Stands for what an event does not hold. */
const MISSING = "–";
const SUBJECTS = [
  "message",
  "ticket.subject",
  "deal.name",
  "product.name",
  "metric",
  "failure_message",
  "error",
  "reason",
];
const PERSONS = ["customer.name", "customer.email", "customer.external_id"];

export class Alerts extends AbstractConnector {
  override key(): string {
    return "alerts";
  }

  override subscribers() {
    return Object.fromEntries(HEARD.map((name) => [name, ["alert"]]));
  }

  async alert(event: ConnectorEvent): Promise<void> {
    const channels = this.channels();
    if (channels.length === 0 || !this.isWanted(event)) return;
    const key = `alert:${event.id}`;
    const before = (await this.kv.get(key)) as Progress | null;
    const progress = before ?? (await this.admitted());
    if (progress === undefined) {
      this.log("warning", "There are more alerts than per_minute allows: this one is left out.", {
        event: event.event,
      });
      return;
    }
    await this.keep(key, progress);
    const failures = await this.tell(event, key, progress);
    // One channel that is down holds no other up; this event is told of again, to that one.
    if (failures.length > 0) throw new Error(failures.join(" "));
  }

  /** Answers why channels failed. */
  private async tell(event: ConnectorEvent, key: string, { left_out, done }: Progress): Promise<string[]> {
    const failures: string[] = [];
    const served = [...done];
    for (const channel of this.channels().filter((one) => !done.includes(one))) {
      try {
        await this.send(channel, event, left_out);
        served.push(channel);
        await this.keep(key, { left_out, done: served });
      } catch (error) {
        failures.push(error instanceof Error ? error.message : String(error));
      }
    }
    return failures;
  }

  async sendTest(): Promise<JsonObject> {
    const channels = this.channels();
    if (channels.length === 0) return { ok: false, message: "Set slack_path, mail_to or both." };
    const event = {
      id: "evt_test",
      event: "alert.raised",
      timestamp: this.now(),
      data: { message: "This is a test." },
    };
    for (const channel of channels) await this.send(channel, event, 0);
    return { ok: true, message: `A test was sent by ${channels.join(" and ")}.` };
  }

  private channels(): Channel[] {
    const slack = this.settings("slack_path") === null ? [] : ["slack" as const];
    return this.addresses().length === 0 ? slack : [...slack, "mail"];
  }

  private addresses(): string[] {
    return listOf(this.settings("mail_to")).slice(0, MAX_ADDRESSES);
  }

  /** Told of all unless the settings name some; never of its own failing, which would fail as well. */
  private isWanted({ event, data }: ConnectorEvent): boolean {
    if (event === "connector.failed" && textAt(data, "connector.key") === this.key()) return false;
    const wanted = listOf(this.settings("events"));
    return (
      wanted.length === 0 ||
      wanted.some((one) => (one.endsWith("*") ? event.startsWith(one.slice(0, -1)) : event === one))
    );
  }

  /** Counts one alert more; undefined when it is too many. */
  private async admitted(): Promise<Progress | undefined> {
    const most = Number(this.settings("per_minute"));
    const minute = this.now().slice(0, "2026-11-21T13:00".length);
    for (let tries = 0; tries < PACE_TRIES; tries += 1) {
      const kept = await this.kv.get(PACE);
      const { sent, left_out: leftOut } = paceIn(kept, minute);
      const isTooMany = sent >= most;
      const after: Pace = isTooMany ? { minute, sent, left_out: leftOut + 1 } : { minute, sent: sent + 1, left_out: 0 };
      if (await this.kv.cas(PACE, kept, after)) return isTooMany ? undefined : { left_out: leftOut, done: [] };
    }
    throw new Error("Too many alerts at the same moment; it is tried again.");
  }

  private async keep(key: string, progress: Progress): Promise<void> {
    await this.kv.set(key, progress, { ttl_seconds: WEEK_SECONDS });
  }

  private async send(channel: Channel, event: ConnectorEvent, leftOut: number): Promise<void> {
    const more = leftOut === 0 ? "" : `\n${leftOut} more ${leftOut === 1 ? "alert was" : "alerts were"} left out.`;
    if (channel === "slack") await this.sendSlack(filled(this.template("text"), event, escaped) + more);
    else await this.sendMail(event, more);
  }

  private async sendMail(event: ConnectorEvent, more: string): Promise<void> {
    const subject = filled(this.template("subject"), event).replaceAll(/\s+/g, " ").slice(0, MAX_SUBJECT);
    const text = [
      filled(this.template("text"), event) + more,
      "",
      `Event: ${event.event}`,
      `Time:  ${event.timestamp}`,
      `Id:    ${event.id}`,
      "",
    ].join("\n");
    for (const to of this.addresses()) await this.mail({ to, subject, text });
  }

  private async sendSlack(text: string): Promise<void> {
    const base = String(this.settings("slack_url")).replace(/\/+$/, "");
    const url = `${base}/${String(this.settings("slack_path"))}`;
    const { status, body } = await this.http({ method: "POST", url, json: { text } });
    if (status >= 200 && status < 300) return;
    if (status === 429 || status >= 500) throw new Error(`Slack is busy (HTTP ${status}); it is tried again.`);
    throw new Error(
      `Slack refuses the alert (HTTP ${status}: ${body.slice(0, 100)}). The webhook may have been removed: make a new one, and set slack_path.`,
    );
  }

  private template(name: "text" | "subject"): string {
    return String(this.settings(name));
  }
}

/** A template with what its braces name. */
function filled(template: string, event: ConnectorEvent, write: (text: string) => string = (text) => text): string {
  const facts: JsonObject = { ...event, time: event.timestamp, what: whatOf(event.data) };
  return template.replaceAll(/\{([A-Za-z_][\w.]*)\}/g, (_all, path: string) => write(textAt(facts, path)));
}

function textAt(facts: JsonObject, path: string): string {
  let value: Json | undefined = facts;
  for (const name of path.split("."))
    value = typeof value === "object" && value !== null && !Array.isArray(value) ? value[name] : undefined;
  if (value === undefined || value === null) return MISSING;
  return (typeof value === "string" ? value : JSON.stringify(value)).slice(0, MAX_VALUE);
}

/** What an event is about in a few words, from the members that the catalogue's events have. */
function whatOf(data: JsonObject): string {
  const firstOf = (paths: readonly string[]): string[] =>
    paths
      .map((path) => textAt(data, path))
      .filter((text) => text !== MISSING)
      .slice(0, 1);
  const known = [...firstOf(SUBJECTS), ...firstOf(["connector.key"]), ...moneyOf(data), ...firstOf(PERSONS)];
  return known.length === 0 ? textAt({ data }, "data") : known.join(", ");
}

function moneyOf(data: JsonObject): string[] {
  for (const name of ["payment", "invoice", "dispute", "deal", "order"]) {
    const one = data[name];
    if (typeof one !== "object" || one === null || Array.isArray(one)) continue;
    const minor = one["amount_minor"] ?? one["amount_due_minor"] ?? one["total_minor"] ?? one["value_minor"];
    if (typeof minor === "number" && typeof one["currency"] === "string") return [money(minor, one["currency"])];
  }
  return [];
}

/** 5880 EUR is 58.80 EUR; 5880 JPY is 5880 JPY. */
function money(minor: number, currency: string): string {
  try {
    const digits =
      new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2;
    return `${(minor / 10 ** digits).toFixed(digits)} ${currency}`;
  } catch {
    return `${minor} ${currency}`;
  }
}

/** Slack reads these three. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function listOf(value: Json): string[] {
  if (typeof value !== "string") return [];
  return value
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}

function paceIn(kept: Json, minute: string): Pace {
  const pace = kept as Pace | null;
  if (pace === null) return { minute, sent: 0, left_out: 0 };
  return pace.minute === minute ? pace : { minute, sent: 0, left_out: pace.left_out };
}
