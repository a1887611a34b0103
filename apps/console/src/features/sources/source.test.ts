import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inboundBody, makeSource, MAPPING } from "../../../../service/src/testing/inbound.ts";
import { joined } from "../../../../service/src/testing/people.ts";
import { faultsOf, hasNoBrowser, overflowsSideways, startConsole, tabTo } from "../../testing/testing.ts";
import type { Page, TestConsole } from "../../testing/testing.ts";

const run = promisify(execFile);

describe.skipIf(hasNoBrowser)("sources, receipts and contacts", () => {
  let started: TestConsole;

  const shown = async (path: string): Promise<Record<string, unknown>> => (await started.service.api("GET", path)).body;
  /** Creates a contact through a request to a source, and returns its id. */
  const contactOf = async (email: string): Promise<string> => {
    const source = await makeSource(started.service);
    await source.send(inboundBody({ email }));
    const { data } = await started.service.until(`/v1/contacts?email=${email}`, ({ data: all }) => all.length > 0);
    return data[0].id;
  };
  const field = (page: Page, name: string | RegExp) => page.getByRole("textbox", { name });

  beforeAll(async () => {
    started = await startConsole();
  });
  afterAll(async () => await started.close());

  test("by mouse: a source is created, mapped by clicks, and its receipt read again", async () => {
    const page = await started.open("/sources");
    await page.getByText("No sources yet").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Create source" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("option", { name: /^GitHub/ }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Other system" }).click();
    await dialog.getByRole("textbox", { name: "Name" }).fill("Our shop");
    await dialog.getByRole("radio", { name: /Custom/ }).check({ force: true });
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Create source" }).click();
    const secret = await page.getByLabel("Signing secret", { exact: true }).innerText();
    expect(await faultsOf(page)).toEqual([]);
    const opened = page.getByRole("link", { name: "Open source" });
    const id = (await opened.getAttribute("href"))?.split("/").at(-1) ?? "";
    await started.service.api("PATCH", `/v1/inbound-endpoints/${id}`, { contact: "required" });
    await opened.click();
    await page.getByText("Waiting for the first request").waitFor();
    expect(await page.content()).not.toContain(secret);

    const command = await page.getByRole("region", { name: "Signed request" }).innerText();
    await run("bash", ["-c", command.replace("'…'", `'${secret}'`)]);
    await page.getByRole("row").filter({ hasText: "Unmapped" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);

    await page.getByRole("tab", { name: "Mapping" }).click();
    const value = (text: string) => page.getByRole("treeitem").filter({ hasText: text }).last();
    await field(page, /^Contact e-mail/).waitFor();
    await value("ada@example.com").click();
    await value("payment.received").click();
    await value("evt_1").click();
    await field(page, "Value").click();
    await value("1250").click();
    expect(await field(page, "Contact e-mail").inputValue()).toBe("$.data.email");
    const results = page.getByRole("region", { name: "Mapping results" });
    await results.getByText("Accepted").waitFor();
    await results.getByText("ada@example.com").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Save mapping" }).click();
    await page.getByText(/^(?:Mapping|Contact) saved\./).waitFor();
    expect(await shown(new URL(page.url()).pathname.replace("/sources", "/v1/inbound-endpoints"))).toMatchObject({
      contact_email_path: "$.data.email",
      event_type_path: "$.type",
      idempotency_key_path: "$.id",
      value_path: "$.data.amount",
    });

    await page.getByRole("tab", { name: "Receipts" }).click();
    await page.getByRole("row").filter({ hasText: "Unmapped" }).getByRole("link").first().click();
    await page.getByRole("tree", { name: "Body" }).getByText("ada@example.com").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Reprocess receipt" }).click();
    await page.getByText("Receipt reprocessed: accepted.").waitFor();
    await page.getByRole("link", { name: "ada@example.com" }).click();
    await page.getByRole("list", { name: "Timeline" }).getByText("payment.received").first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Activity type" }).click();
    await page.getByRole("dialog").getByRole("button").click();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("option", { name: "Note" }).click();
    await page.getByText("No activities yet").waitFor();
    expect(new URL(page.url()).searchParams.get("kind")).toBe("note");
    await page.getByRole("button", { name: "Remove filter: Activity type" }).click();
    await page.getByRole("list", { name: "Timeline" }).getByRole("link", { name: "Receipt" }).click();
    await page.waitForURL("**/receipts/rcp_*");
  });

  test("by keyboard alone: values are picked from the tree, and unsaved changes prompt", async () => {
    const source = await makeSource(started.service, { name: "By keys" });
    await source.send(JSON.stringify({ who: { mail: "keys@example.com" }, kind: "thing.done" }));
    await started.service.until(`/v1/inbound-receipts?source_id=${source.id}`, ({ data }) => data.length > 0);
    const page = await started.open(`/sources/${source.id}`);
    await tabTo(page, "Receipts", "tab");
    await page.keyboard.press("ArrowRight");
    await page.getByRole("tree", { name: "Body" }).waitFor();
    // The tree is one stop of Tab. Arrow keys move from its root.
    await tabTo(page, /^/, "treeitem");
    for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key);
    await expect.poll(async () => await field(page, "Contact e-mail").inputValue()).toBe("$.who.mail");
    for (const key of ["ArrowDown", "Enter"]) await page.keyboard.press(key);
    await expect.poll(async () => await field(page, "Event type").inputValue()).toBe("$.kind");

    // Switching tabs of the page does not count as leaving; opening another page does.
    await page.keyboard.press("Shift+Tab");
    await tabTo(page, "Mapping", "tab");
    await page.keyboard.press("ArrowRight");
    await page.getByRole("region", { name: "Signed request" }).waitFor();
    await page.keyboard.press("ArrowLeft");
    expect(await field(page, "Contact e-mail").inputValue()).toBe("$.who.mail");
    await page.keyboard.press("g");
    await page.keyboard.press("a");
    const warning = page.getByRole("alertdialog", { name: "Leave without saving?" });
    await warning.waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await warning.waitFor({ state: "detached" });
    expect(new URL(page.url()).pathname).toBe(`/sources/${source.id}`);
    await tabTo(page, "Save mapping");
    await page.keyboard.press("Enter");
    await page.getByText(/^(?:Mapping|Contact) saved\./).waitFor();
    expect(await shown(`/v1/inbound-endpoints/${source.id}`)).toMatchObject({ contact_email_path: "$.who.mail" });
    await page.getByRole("heading", { level: 1 }).focus();
    await page.keyboard.press("g");
    await page.keyboard.press("a");
    await page.waitForURL("**/approvals");
  });

  test("an invalid path is refused, secret and URL are regenerated, deletion requires the name", async () => {
    const source = await makeSource(started.service, { ...MAPPING, name: "Short-lived" });
    const page = await started.open(`/sources/${source.id}?tab=mapping`);
    await field(page, /^Value/).fill("$..everything");
    await page.getByRole("button", { name: "Save mapping" }).click();
    await expect.poll(async () => await field(page, /^Value/).getAttribute("aria-invalid")).toBe("true");
    expect(await faultsOf(page)).toEqual([]);
    await field(page, /^Value/).fill("$.amount");
    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByRole("button", { name: "Regenerate secret" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Regenerate secret" }).click();
    const made = page.getByRole("dialog", { name: "New secret" });
    const secret = await made.getByLabel("Signing secret", { exact: true }).innerText();
    expect(secret).not.toBe(source.secret);
    expect(await faultsOf(page)).toEqual([]);
    await made.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Regenerate URL" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Regenerate URL" }).click();
    await page.getByText("New URL created.").waitFor();
    expect((await source.send(inboundBody())).status).toBe(404);
    await page.getByRole("button", { name: "Delete source" }).click();
    const asked = page.getByRole("alertdialog");
    await expect.poll(async () => await asked.getByRole("button", { name: "Delete source" }).isDisabled()).toBe(true);
    await asked.getByRole("textbox").fill("Short-lived");
    await asked.getByRole("button", { name: "Delete source" }).click();
    await page.waitForURL("**/sources");
    expect((await started.service.api("GET", `/v1/inbound-endpoints/${source.id}`)).status).toBe(404);
  });

  test("a receipt of a list shows each event with its reason", async () => {
    const source = await makeSource(started.service, { name: "Lists" });
    const page = await started.open(`/sources/${source.id}?tab=mapping`);
    await field(page, "List of events").fill("$.events");
    await field(page, /^Event type/).fill("$.kind, $['a,b']");
    await field(page, "Event ID template").fill("${$.id}-${$.part}");
    await field(page, "Ignored in comparisons").fill("$.attempt");
    await page.getByRole("button", { name: "Save mapping" }).click();
    await page.getByText(/^(?:Mapping|Contact) saved\./).waitFor();
    expect(await shown(`/v1/inbound-endpoints/${source.id}`)).toMatchObject({
      each: "$.events",
      event_type_path: ["$.kind", "$['a,b']"],
      idempotency_key_template: "${$.id}-${$.part}",
      dedupe_ignore: ["$.attempt"],
    });
    const events = [{ kind: "list.first", id: 1, part: 1 }, { "a,b": "list.second" }, { id: 2 }];
    const zipped = gzipSync(JSON.stringify({ events }));
    const { body } = await source.send(zipped, { "Content-Encoding": "gzip" });
    const receipt = await source.receipt(body.receipt_id);

    await page.goto(`/sources/${source.id}?tab=mapping`);
    expect(await field(page, /^Event type/).inputValue()).toBe("$.kind, $['a,b']");
    await page.getByRole("region", { name: "Mapping results" }).getByText("A list of 3 events").waitFor();
    await field(page, /^Value$/).click();
    await page.getByRole("treeitem").filter({ hasText: "list.second" }).last().click();
    expect(await field(page, /^Value/).inputValue()).toBe("$['a,b']");
    await field(page, /^Value/).fill("");

    await page.goto(`/receipts/${body.receipt_id}`);
    const list = page.getByRole("region", { name: "Events of the list" });
    await list.getByText("event_type_path matched nothing.").waitFor();
    await list.getByText("Choose another path of the event type").waitFor();
    await page.getByText("2 accepted, 1 unmapped.").waitFor();
    for (const fact of ["gzip", "utf-8", "JSON"]) await page.getByText(fact, { exact: true }).first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await list.getByRole("link").first().click();
    await page.waitForURL(`**/events/${receipt["items"][0].event_id}`);
  });

  test("pasted requests and files are tried with an unsaved mapping", async () => {
    const source = await makeSource(started.service, { name: "Tried" });
    const page = await started.open(`/sources/${source.id}?tab=mapping`);
    await field(page, /^Event type/).fill("$.kind");
    await field(page, "Request").fill('{"kind":"tried.out"}');
    await page.getByRole("button", { name: "Preview request" }).click();
    await page.getByText("Must begin with its request line, such as POST /hook HTTP/1.1.").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await field(page, "Request").fill(
      'POST /hook HTTP/1.1\nContent-Length: 99\n\n{"kind":"tried.out","n":12345678901234567890}',
    );
    await page.getByRole("button", { name: "Preview request" }).click();
    const result = page.getByRole("region", { name: "Result of the request" });
    await result.getByText("inbound.tried.out").waitFor();
    await result.getByText(/^request: The body has 45 bytes and not the 99/).waitFor();
    await result.getByRole("treeitem").filter({ hasText: "12345678901234567890" }).last().waitFor();
    expect(await faultsOf(page)).toEqual([]);

    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Choose file" }).click();
    const head = "POST / HTTP/1.1\r\nContent-Type: text/xml\r\nContent-Encoding: gzip\r\n\r\n";
    const buffer = Buffer.concat([Buffer.from(head), gzipSync("<a><kind>Zo\u00EB</kind></a>")]);
    await (await chooser).setFiles({ name: "request.http", mimeType: "", buffer });
    await result.getByText("XML", { exact: true }).waitFor();
    await result.getByText("gzip", { exact: true }).waitFor();
    expect(await source.receipts()).toEqual([]);
    expect(await shown(`/v1/inbound-endpoints/${source.id}`)).toMatchObject({ event_type_path: null });
  });

  test("a source's character set and its answers to URL checks are set", async () => {
    const source = await makeSource(started.service, { name: "Old forms" });
    const page = await started.open(`/sources/${source.id}?tab=settings`);
    await field(page, "Character set").fill("windows-1252");
    await page.getByRole("button", { name: "Save settings" }).click();
    await page.getByText("Source saved.").waitFor();
    await page.getByText("No requests check the URL.").waitFor();
    const checks = page.getByRole("form", { name: "URL checks" });
    await checks.getByRole("radio", { name: /Custom/ }).check({ force: true });
    await field(page, "URL checks as JSON").fill("{");
    await page.getByText("Enter a valid JSON array.").waitFor();
    const answer = { status: 200, content_type: "text/plain", body: "{query:echo}" };
    const handshakes = [{ method: "GET", when: { query: ["echo"] }, signed: false, answer }];
    await field(page, "URL checks as JSON").fill(JSON.stringify(handshakes));
    await page.getByRole("button", { name: "Save URL checks" }).click();
    await page.getByText("URL checks saved.").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(await shown(`/v1/inbound-endpoints/${source.id}`)).toMatchObject({ charset: "windows-1252", handshakes });
  });

  test("by keyboard: a contact is created and edited; by mouse: merged and erased", async () => {
    const page = await started.open("/contacts?email=nobody@example.com");
    await page.getByText("No matching contacts").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await tabTo(page, "Create contact");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Create contact" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.type("grace@example.com");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Grace");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/contacts/con_*");
    await page.getByText("No activities yet").waitFor();
    const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    await tabTo(page, "Edit contact");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Edit contact" }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.type("lead");
    await page.keyboard.press("Enter");
    await page.getByText(/^(?:Mapping|Contact) saved\./).waitFor();
    expect(await shown(`/v1/contacts/${id}`)).toMatchObject({ name: "Grace", lifecycle_stage: "lead" });

    const other = await contactOf("ada.other@example.com");
    await page.goto(`/contacts/${other}`);
    await page.getByRole("button", { name: "More" }).click();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("menuitem", { name: "Merge contact" }).click();
    await page.getByRole("dialog").getByRole("textbox").fill(id);
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("dialog").getByRole("button", { name: "Merge contacts" }).click();
    await page.waitForURL(`**/contacts/${id}`);
    await page.getByText("ada.other@example.com").first().waitFor();
    await page.getByRole("list", { name: "Timeline" }).getByText("thing.done").first().waitFor();
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Delete and erase" }).click();
    await page.getByRole("alertdialog").getByRole("textbox").fill("grace@example.com");
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Delete and erase" }).click();
    await page.waitForURL("**/contacts");
    expect((await started.service.api("GET", `/v1/contacts/${id}`)).status).toBe(404);
  });

  test("customers and tickets have filters in the URL and links to each other", async () => {
    const page = await started.open("/tickets");
    await page.getByText("No tickets yet").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await started.service.api("PUT", "/v1/customers/cus_1", { name: "Ines Costa", email: "ines@example.com" });
    const subject = "It does not work";
    await started.service.api("PUT", "/v1/tickets/T-1", { subject, status: "open", customer_external_id: "cus_1" });
    await page.goto("/tickets?status=closed");
    await page.getByText("No matching tickets").waitFor();
    await tabTo(page, "Remove filter: State");
    await page.keyboard.press("Enter");
    await tabTo(page, subject, "link");
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/tickets/tkt_*");
    expect(await faultsOf(page)).toEqual([]);
    await tabTo(page, "Ines Costa", "link");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Ines Costa" }).waitFor();
    await page.getByRole("link", { name: subject }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("link", { name: "Customers" }).last().click();
    await page.getByRole("row").filter({ hasText: "Ines Costa" }).getByText("cus_1").waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  test("a role that may not change a source sees it, also at 320 px", async () => {
    const source = await makeSource(started.service, { ...MAPPING, name: "Looked at" });
    await source.send(inboundBody());
    const { email, password } = await joined(started.service, "viewer");
    const page = await started.open(`/sources/${source.id}?tab=mapping`, {
      as: { email, password },
      width: 320,
      height: 640,
    });
    await page.getByRole("tree", { name: "Body" }).waitFor();
    await expect.poll(async () => await page.getByRole("button", { name: "Save mapping" }).isDisabled()).toBe(true);
    expect(await overflowsSideways(page)).toBe(false);
    expect(await faultsOf(page)).toEqual([]);
  });
});
