import { expect, test } from "vitest";
import { longTexts } from "../testing/fuzz.ts";
import { createRedactor } from "./redaction.ts";

test("redacting a quarter of a megabyte of any repeated piece takes one pass", () => {
  const redactor = createRedactor(["a secret of the workspace", "aaaaaaaaaaaaaaaa"]);
  const texts = [
    ...longTexts("password=", '"', "\\", "eyJ.", "-----BEGIN PRIVATE KEY-----", "://a:", "@"),
    ...longTexts("a", "4", " ", "-", "Bearer ", "sk-", "token: '"),
  ];
  const whole = { maxTextBytes: 2 ** 20, maxBytes: 2 ** 21 };
  for (const text of texts) expect(redactor.text(text, whole).length).toBeGreaterThan(0);
});
