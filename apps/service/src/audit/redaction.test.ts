import { expect } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { createRedactor } from "./audit.ts";

const redactor = createRedactor(["inbound sesame", "s3"]);

covers("audit.row.params-redacted", "what a name says is secret is taken out, whatever it holds", () => {
  const value = {
    password: "hunter2",
    card: { number: 4 },
    apiKey: ["a"],
    "x-auth-token": 12,
    tokenizer_count: 3,
    max_tokens: 9,
    pin: null,
  };
  expect(redactor.value(value)).toEqual({
    password: "[redacted]",
    card: "[redacted]",
    apiKey: "[redacted]",
    "x-auth-token": "[redacted]",
    tokenizer_count: 3,
    max_tokens: 9,
    pin: null,
  });
});
