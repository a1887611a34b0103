/** Tests deliveries by host name. Deliveries whose target resolves, connects and verifies arrive, and all others fail with their class. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../requirements/covers.ts";
import { announced, createWorld } from "./world.ts";
import type { World } from "./world.ts";

const FIRST = "93.184.216.34";
const SECOND = "93.184.216.35";
const THIRD = "2606:4700:4700::1111";
const INSIDE = "10.7.0.1";
const REFUSING = "93.184.216.36";
const SILENT = "198.41.0.4";
const PROXY = "93.184.216.37";
/** Names that lead to FIRST or THIRD and are on the certificate there. */
const GOOD_NAMES = [
  "a.example",
  "aaaa.example",
  "both.example",
  "alias.example",
  "hosts.example",
  "first.example",
  "hooks",
];

let world: World;
let key: string;
let proxy: number;

beforeAll(async () => {
  world = await createWorld();
  await world.addresses([...[FIRST, SECOND, REFUSING, PROXY, INSIDE].map((ip) => `${ip}/32`), `${THIRD}/128`]);
  await world.silent(SILENT);
  for (const address of [FIRST, THIRD]) await world.receiver({ address, certificate: { names: GOOD_NAMES } });
  await world.receiver({ address: FIRST, port: 8443, certificate: { names: ["a.example"] } });
  await world.receiver({ address: SECOND, certificate: { names: ["another.example"] } });
  await world.receiver({
    address: SECOND,
    port: 444,
    certificate: { names: ["b.example"], validDays: { from: -9, to: -1 } },
  });
  await world.receiver({ address: SECOND, port: 445, certificate: { names: ["b.example"], signedBy: "stranger" } });
  await world.receiver({
    address: SECOND,
    port: 446,
    certificate: { names: ["b.example"], validDays: { from: 1, to: 9 } },
  });
  await world.receiver({
    address: SECOND,
    port: 447,
    certificate: { names: ["b.example"] },
    answer: { status: 302, headers: { Location: "https://a.example/" } },
  });
  proxy = await world.receiver({ address: PROXY, port: 3128, certificate: null });
  await world.name("a.example", [FIRST]);
  await world.name("aaaa.example", ["2606:4700:4700:0:0:0:0:1111"]);
  await world.name("both.example", ["2606:4700:4700:0:0:0:0:1111", FIRST]);
  await world.alias("alias.example", "a.example");
  await world.name("first.example", [SECOND]);
  await world.hosts(`${FIRST} hosts.example first.example\n`);
  await world.name("hooks.corp.example", [FIRST]);
  await world.name("b.example", [SECOND]);
  await world.name("refusing.example", [REFUSING]);
  await world.name("silent.example", [SILENT]);
  for (const name of ["moving.example", "leaving.example"]) await world.name(name, [FIRST]);
  await world.name("inside.example", [INSIDE]);
  await world.name("half.example", [FIRST, INSIDE]);
  // Many servers have such an environment. The service must not send a customer's data through its proxy.
  const through = `http://${PROXY}:3128`;
  const output = await world.npmStart({
    HTTP_PROXY: through,
    HTTPS_PROXY: through,
    ALL_PROXY: through,
    http_proxy: through,
    https_proxy: through,
    NODE_USE_ENV_PROXY: "1",
  });
  key = announced(output).sandboxKey;
});
afterAll(async () => await world?.close());

interface FirstAttempt {
  readonly delivered: boolean;
  readonly status_code: number | null;
  readonly error_class: string | null;
  readonly resolved_ip: string | null;
}

let events = 0;

/** Delivers an event to a new endpoint and returns the first attempt. `between` runs after the endpoint is saved. */
async function attempt(
  url: string,
  between: () => Promise<void> = async () => await Promise.resolve(),
): Promise<FirstAttempt> {
  events += 1;
  const event = `target.tried_${events}`;
  const made = await world.api("POST", "/v1/webhook-endpoints", { url, events: [event] }, { key });
  expect(made.body).toMatchObject({ url });
  await between();
  const fired = await world.api("POST", "/v1/events/fire", { event, data: { n: events } }, { key });
  // The sandbox's own inbox gets every event, too.
  const { id } = fired.body.deliveries.find((one: { endpoint_id: string }) => one.endpoint_id === made.body.id);
  const path = `/v1/deliveries/${id}`;
  const { state } = await world.until(path, key, ({ attempt_count: count }) => count === 1);
  const { body } = await world.api("GET", `${path}/attempts`, undefined, { key });
  const [{ status_code, error_class, resolved_ip }] = body.data;
  return { delivered: state === "delivered", status_code, error_class, resolved_ip };
}

function arrives(ip: string): FirstAttempt {
  return { delivered: true, status_code: 200, error_class: null, resolved_ip: ip };
}

async function refused(url: string): Promise<unknown> {
  const { status, body } = await world.api("POST", "/v1/webhook-endpoints", { url, events: ["*"] }, { key });
  return { status, reason: body.reason };
}

test.each([
  ["an A record", "https://a.example/", FIRST],
  ["an AAAA record alone", "https://aaaa.example/", THIRD],
  ["both records, over IPv4", "https://both.example/", FIRST],
  ["a CNAME record", "https://alias.example/", FIRST],
  ["the hosts file", "https://hosts.example/", FIRST],
  ["the hosts file before the name server", "https://first.example/", FIRST],
  ["the search domain", "https://hooks/", FIRST],
  ["a port", "https://a.example:8443/", FIRST],
])("a webhook arrives by %s", async (_by, url, ip) => expect(await attempt(url)).toEqual(arrives(ip)));

test.each([
  ["refuses connections", "https://refusing.example/", "connect"],
  ["does not answer", "https://silent.example/", "timeout"],
  ["has a certificate for another name", "https://b.example/", "tls"],
  ["has an expired certificate", "https://b.example:444/", "tls"],
  ["has a certificate of an unknown authority", "https://b.example:445/", "tls"],
  ["has a certificate that is not valid yet", "https://b.example:446/", "tls"],
  ["redirects", "https://b.example:447/", "redirect"],
])("a webhook fails when the receiver %s", async (_fault, url, errorClass) =>
  expect(await attempt(url)).toMatchObject({ delivered: false, error_class: errorClass }),
);

test("a webhook fails as `dns` when the name is gone", async () => {
  const gone = async (): Promise<void> => await world.name("leaving.example", []);
  expect(await attempt("https://leaving.example/", gone)).toMatchObject({ delivered: false, error_class: "dns" });
});

test("a webhook fails as `dns` while the name server is silent, and arrives afterwards", async () => {
  expect(await attempt("https://a.example/", async () => await world.silence(true))).toMatchObject({
    error_class: "dns",
  });
  await world.silence(false);
  expect(await attempt("https://a.example/")).toEqual(arrives(FIRST));
});

covers("target.check.send", "a name that moves to a private address is refused at delivery", async () => {
  const moves = async (): Promise<void> => await world.name("moving.example", [INSIDE]);
  expect(await attempt("https://moving.example/moved", moves)).toMatchObject({
    delivered: false,
    error_class: "target_refused",
  });
});

test("names that lead to private addresses, even one of several, are refused", async () => {
  expect(await refused("https://inside.example/")).toEqual({ status: 422, reason: "private" });
  expect(await refused("https://half.example/")).toEqual({ status: 422, reason: "private" });
  await world.hosts(`127.0.0.1 looped.example\n169.254.169.254 cloud.example\n`);
  await new Promise((resolve) => setTimeout(resolve, 1100));
  expect(await refused("https://looped.example/")).toEqual({ status: 422, reason: "loopback" });
  expect(await refused("https://cloud.example/")).toEqual({ status: 422, reason: "metadata" });
  expect(await refused("https://nowhere.example/")).toEqual({ status: 422, reason: "dns_failed" });
});

test("a proxy that the environment names is never asked", async () => expect(await world.connections(proxy)).toBe(0));
