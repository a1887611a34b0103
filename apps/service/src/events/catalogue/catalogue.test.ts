import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { parseId } from "../../lib/lib.ts";
import {
  canonicalEventTypes,
  DOMAINS,
  coversEvents,
  EVENT_NAME_MAX_LENGTH,
  EVENT_NAME_PATTERN,
  eventTypes,
  exampleEvent,
  findEventType,
  isCanonical,
  isEventName,
  isEventPattern,
  isSystem,
  patternsOf,
  patternText,
  selectsEvent,
  systemEventTypes,
} from "./catalogue.ts";
import type { JsonSchema } from "./catalogue.ts";
import type { Json } from "../../lib/lib.ts";

/** The catalog of the wire format: `catalog.json`. */
const CATALOG = {
  commerce:
    "order.created order.updated order.paid order.shipped order.delivered order.cancelled order.returned cart.abandoned checkout.completed product.created product.out_of_stock",
  billing:
    "invoice.created invoice.paid invoice.payment_failed invoice.overdue payment.completed payment.failed payment.refunded subscription.created subscription.renewed subscription.cancelled subscription.trial_ending dispute.opened",
  support:
    "ticket.created ticket.updated ticket.assigned ticket.replied ticket.escalated ticket.resolved ticket.reopened csat.received",
  crm: "customer.signed_up customer.updated customer.deleted contact.created contact.updated contact.lifecycle_changed crm.deal.created crm.deal.stage_changed crm.deal.won crm.deal.lost",
  security:
    "security.login_failed security.suspicious_activity security.api_key_revoked security.permission_changed action.executed ai.action.approved",
  analytics:
    "analytics.anomaly analytics.goal_reached analytics.threshold_crossed analytics.report_ready analytics.segment_entered",
  system:
    "webhook.endpoint.disabled webhook.delivery.failed inbound.receipt.unmapped action.proposed action.rejected action.expired action.failed action.undone connector.failed endpoint.certificate_expiring issue.opened issue.resolved key.expiring schedule.due notification.created",
} as const;

const names = eventTypes.map((type) => type.name);
const canonicalName = fc.constantFrom(...canonicalEventTypes.map((type) => type.name));
const systemName = fc.constantFrom(...systemEventTypes.map((type) => type.name));
const customName = fc
  .stringMatching(/^[A-Za-z0-9_:-]{1,8}(\.[a-z0-9_]{1,8}){0,3}$/)
  .filter((name) => isEventName(name) && !names.includes(name));
const anyName = fc.oneof(canonicalName, systemName, customName);

function sentenceOf(id: string): string {
  const file = new URL("../../../../../requirements/requirements.json", import.meta.url);
  const rows: { id: string; sentence: string }[] = JSON.parse(readFileSync(file, "utf8"));
  return rows.find((row) => row.id === id)?.sentence ?? "";
}

function* schemasIn(schema: JsonSchema): Generator<JsonSchema> {
  yield schema;
  for (const property of Object.values(schema.properties ?? {})) yield* schemasIn(property);
  if (schema.items !== undefined) yield* schemasIn(schema.items);
}

function* stringsIn(value: Json): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null)
    for (const child of Object.values(value)) yield* stringsIn(child);
}

describe("the catalog", () => {
  covers("fire.catalog.count", "the catalog contains exactly 52 canonical events, each once", () => {
    expect(canonicalEventTypes).toHaveLength(52);
    expect(new Set(names).size).toBe(eventTypes.length);
    expect(names.filter(isCanonical)).toHaveLength(52);
  });

  covers("fire.catalog.domains", "the catalog covers commerce, billing, support, CRM, security and analytics", () => {
    expect([...DOMAINS]).toStrictEqual(["commerce", "billing", "support", "crm", "security", "analytics"]);
    expect(new Set(canonicalEventTypes.map((type) => type.domain))).toStrictEqual(new Set(DOMAINS));
  });

  covers("fire.catalog.named", "the catalog contains the 13 events that the specification names", () => {
    const listed = sentenceOf("fire.catalog.named").split(": ")[1]?.replace(/\.$/, "").split(", ") ?? [];
    expect(listed).toHaveLength(13);
    for (const name of listed) expect(findEventType(name)?.name).toBe(name);
    expect(listed.every(isCanonical)).toBe(true);
  });

  test.each(Object.entries(CATALOG))("the %s events are those of catalog.json", (domain, listed) => {
    expect(eventTypes.filter((type) => type.domain === domain).map((type) => type.name)).toStrictEqual(
      listed.split(" "),
    );
  });

  test("system events are found by name but are not canonical", () => {
    for (const { name } of systemEventTypes) {
      expect(isSystem(name)).toBe(true);
      expect(isCanonical(name)).toBe(false);
      expect(findEventType(name)?.domain).toBe("system");
    }
    expect(canonicalEventTypes.some((type) => isSystem(type.name))).toBe(false);
  });

  test("properties of Object are not event types", () => {
    for (const name of ["constructor", "__proto__", "toString", ""]) {
      expect(findEventType(name)).toBeUndefined();
      expect(isCanonical(name) || isSystem(name)).toBe(false);
    }
  });
});

describe("schemas and examples", () => {
  const ajv = new Ajv({ strict: true, allErrors: true });
  formats.default(ajv);

  test.each(eventTypes.map((type) => [type.name, type] as const))(
    "the example of %s is valid",
    (_, { schema, example }) => {
      const validate = ajv.compile(schema);
      validate(example);
      expect(validate.errors).toBeNull();
    },
  );

  test.each(eventTypes.map((type) => [type.name, type] as const))(
    "the schema of %s describes each field",
    (_, type) => {
      for (const schema of schemasIn(type.schema)) {
        const described = Object.values(schema.properties ?? {});
        expect(described.every((property) => (property.description ?? "").length > 2)).toBe(true);
        expect(Object.keys(schema.properties ?? {})).toStrictEqual(
          expect.arrayContaining([...(schema.required ?? [])]),
        );
        expect(schema.additionalProperties).not.toBe(false);
        expect(schema.required?.length).not.toBe(0);
      }
      expect(Object.keys(type.schema.properties ?? {})).toStrictEqual(
        expect.arrayContaining(Object.keys(type.example)),
      );
      expect(type.title.length * type.description.length).toBeGreaterThan(0);
    },
  );

  test("a customer has one shape wherever it appears, and a ticket too", () => {
    for (const { schema } of eventTypes) {
      const { customer, ticket } = schema.properties ?? {};
      expect(
        Object.keys(customer?.properties ?? { external_id: 0, email: 0, name: 0, lifecycle_stage: 0 }),
      ).toStrictEqual(["external_id", "email", "name", "lifecycle_stage"]);
      expect(
        Object.keys(ticket?.properties ?? { external_id: 0, subject: 0, status: 0, priority: 0, assignee: 0 }),
      ).toStrictEqual(["external_id", "subject", "status", "priority", "assignee"]);
    }
  });

  test("every support event contains its ticket and its customer", () => {
    for (const { example } of eventTypes.filter((type) => type.domain === "support")) {
      expect(example).toMatchObject({
        ticket: { external_id: expect.any(String), subject: expect.any(String) },
        customer: { external_id: expect.any(String) },
      });
    }
  });

  test("example ids of the service are valid ids", () => {
    const ids = eventTypes
      .flatMap((type) => [...stringsIn(type.example)])
      .filter((text) => /^[a-z]{2,4}_\w{34}$/.test(text));
    expect(ids.length).toBeGreaterThan(20);
    for (const id of ids) expect(parseId(id)).toBeDefined();
  });
});

describe("names", () => {
  test("every name of the catalog may be fired", () => {
    for (const name of names) expect(isEventName(name)).toBe(true);
  });

  test.each(["a", "0", "A.b-c_d:e", "my.custom.event", "a".repeat(128), "order:created"])(
    "%s is a valid name",
    (name) => {
      expect(isEventName(name)).toBe(true);
    },
  );

  test.each(["", ".a", "a.", "a..b", "_a", "-a", ":a", "a b", "a\n", "a.b\n", "é", "a/b", "*", "a".repeat(129)])(
    "%j is not a valid name",
    (name) => {
      expect(isEventName(name)).toBe(false);
    },
  );

  test("names are exactly those of the contract's pattern without a trailing or doubled dot", () => {
    const contract = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/;
    const letter = fc.constantFrom("a", "Z", "0", "_", ".", ":", "-", " ", "\n", "é");
    fc.assert(
      fc.property(
        fc.oneof(fc.array(letter, { maxLength: 6 }), fc.array(letter, { minLength: 126, maxLength: 130 })),
        (letters) => {
          const name = letters.join("");
          expect(isEventName(name)).toBe(contract.test(name) && !name.endsWith(".") && !name.includes(".."));
        },
      ),
      { numRuns: 3000 },
    );
  });

  test("the published pattern and length accept the same names", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 140 }), (name) => {
        expect(isEventName(name)).toBe(
          new RegExp(EVENT_NAME_PATTERN).test(name) && name.length <= EVENT_NAME_MAX_LENGTH,
        );
      }),
    );
  });
});

const anyPattern = fc.oneof(
  fc.constant("*"),
  anyName,
  anyName.map((name) => `${name}.*`),
);

describe("filters", () => {
  test("`*` selects every canonical or custom event, but no system event", () => {
    fc.assert(
      fc.property(anyName, (name) => {
        expect(selectsEvent(["*"], name)).toBe(!isSystem(name));
      }),
    );
  });

  test("a list of names selects exactly those events", () => {
    fc.assert(
      fc.property(fc.array(anyName, { maxLength: 6 }), anyName, (filter, name) => {
        expect(selectsEvent(filter, name)).toBe(filter.includes(name));
        expect(selectsEvent([...filter, name], name)).toBe(true);
      }),
    );
  });

  test("`*` with names of system events selects those too", () => {
    fc.assert(
      fc.property(fc.array(systemName, { maxLength: 3 }), anyName, (filter, name) => {
        expect(selectsEvent([...filter, "*"], name)).toBe(!isSystem(name) || filter.includes(name));
      }),
    );
  });

  test("a prefix selects all events below it at any depth, system events too", () => {
    fc.assert(
      fc.property(anyName, anyName, (prefix, name) => {
        expect(selectsEvent([`${prefix}.*`], name)).toBe(name.startsWith(`${prefix}.`));
        expect(selectsEvent([`${prefix}.*`], `${prefix}.${name}`)).toBe(true);
      }),
    );
    expect(selectsEvent(["webhook.delivery.*"], "webhook.delivery.failed")).toBe(true);
    expect(selectsEvent(["order", "order."], "order.created")).toBe(false);
    expect(selectsEvent([], "order.created")).toBe(false);
  });

  test("an event is selected exactly by the patterns that are listed for it", () => {
    fc.assert(
      fc.property(anyName, anyPattern, (name, pattern) => {
        expect(patternsOf(name).includes(pattern)).toBe(selectsEvent([pattern], name));
        expect(patternText(name).split("|")).toEqual(patternsOf(name));
      }),
    );
  });

  test("patterns cover another one exactly if they select all of its events", () => {
    const known = [...eventTypes.map(({ name }) => name), "order", "order.created.late", "webhook.mine", "my.own"];
    const texts = ["*", "order.*", "order.created", "webhook.*", "webhook.delivery.*", "my.*", "a.b.*", "a.*"];
    for (const outer of texts)
      for (const inner of texts) {
        const isCovered = [...known, "a.b.c", "a.c"].every(
          (name) => !selectsEvent([inner], name) || selectsEvent([outer], name),
        );
        expect([outer, inner, coversEvents([outer], inner)]).toEqual([outer, inner, isCovered]);
      }
  });

  test.each([
    "*.x",
    "a.*.b",
    ".",
    "a..*",
    ".*",
    "**",
    "a*",
    "a.*.*",
    "",
    " ",
    "a.* ",
    "a|b",
    "order.",
    `${"a".repeat(127)}.*`,
  ])("%j is not a pattern", (text) => expect(isEventPattern(text)).toBe(false));

  test("an example is an event that the patterns select", () => {
    fc.assert(
      fc.property(fc.array(anyPattern, { minLength: 1, maxLength: 4 }), (patterns) => {
        expect(selectsEvent(patterns, exampleEvent(patterns))).toBe(true);
      }),
    );
  });
});
