import { afterAll, beforeAll, expect, test } from "vitest";
import { makeSource } from "../../apps/service/src/testing/inbound.ts";
import { nowSeconds } from "../../apps/service/src/testing/request-signing.ts";
import { startService } from "../../apps/service/src/testing/service.ts";
import type { TestService } from "../../apps/service/src/testing/test-service.ts";
import { must } from "../run.ts";
import { pythonPrograms } from "./python-programs.ts";

/** The first call of a machine installs the library. */
const MINUTES_15 = 900_000;

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.close();
});

const SIGN = `
import sys
from slack_sdk.signature import SignatureVerifier
print(SignatureVerifier(sys.argv[1]).generate_signature(timestamp=sys.argv[2], body=sys.argv[3]))
`;

test(
  "Slack's library signs, and the source of Slack verifies",
  async () => {
    const python = (await pythonPrograms()).program("python");
    const source = await makeSource(service, { sender: "slack", secret: "8f742231b10e8888abcd99yyyzzz85a5" });
    const body = '{"type":"event_callback","event_id":"Ev1","event":{"type":"message","text":"Grüße"}}';
    const time = String(nowSeconds());
    const { output } = await must(python, ["-c", SIGN, "8f742231b10e8888abcd99yyyzzz85a5", time, body]);
    const headers = { "X-Slack-Request-Timestamp": time, "X-Slack-Signature": output.trim() };
    const answers = [await source.sendAs(headers, body), await source.sendAs(headers, `${body} `)];
    expect(answers.map(({ status }) => status)).toEqual([200, 401]);
  },
  MINUTES_15,
);
