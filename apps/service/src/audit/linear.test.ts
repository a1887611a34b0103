import { expect, test } from "vitest";
import { longTexts } from "../testing/fuzz.ts";
import { createRedactor } from "./redaction.ts";

test("a quarter of a megabyte of any piece is redacted to its end, in one pass and not in one for each piece", () => {
  const redactor = createRedactor(["a secret of the workspace", "aaaaaaaaaaaaaaaa"]);
  const texts = [
    ...longTexts("password=", '"', "\\", "eyJ.", "-----BEGIN PRIVATE KEY-----", "://a:", "@"),
    ...longTexts("a", "4", " ", "-", "Bearer ", "sk-", "token: '"),
  ];
  const whole = { maxTextBytes: 2 ** 20, maxBytes: 2 ** 21 };
  for (const text of texts) expect(redactor.text(text, whole).length).toBeGreaterThan(0);
});
