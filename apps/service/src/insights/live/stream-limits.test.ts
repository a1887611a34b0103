import { expect, test } from "vitest";
import { assertRoom } from "./stream-limits.ts";

test.each([
  [{ ofWorkspace: 50, ofProcess: 50, ofTenant: 0 }, "A workspace can have at most 50 streams"],
  [{ ofWorkspace: 0, ofProcess: 2000, ofTenant: 0 }, "A process of the service can have at most 2000 streams"],
  [{ ofWorkspace: 5, ofProcess: 5, ofTenant: 5 }, "A tenant can have at most 5 streams"],
])("a stream is refused with the limit that is reached: %j", (open, detail) => {
  const refusal = {
    code: "too_many_streams",
    details: { headers: { "Retry-After": "30" }, detail: expect.stringContaining(detail) as string },
  };
  expect(() => assertRoom(open)).toThrow(expect.objectContaining(refusal));
});

test("a stream is allowed below all limits", () => {
  expect(() => assertRoom({ ofWorkspace: 49, ofProcess: 1999, ofTenant: 4 })).not.toThrow();
});
