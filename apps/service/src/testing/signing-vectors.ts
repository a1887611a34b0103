import { readFileSync } from "node:fs";

interface SigningVectors {
  readonly request: {
    readonly key: string;
    readonly timestamp: number;
    readonly cases: readonly {
      readonly method: string;
      readonly target: string;
      readonly idempotency_key: string;
      readonly body: string;
      readonly string_to_sign: string;
      readonly v1: string;
      readonly body_scheme: string | null;
    }[];
  };
  readonly webhook: {
    readonly secret: string;
    readonly delivery_id: string;
    readonly timestamp: number;
    readonly body_before_signature: string;
    readonly body: string;
    readonly x_service_signature: string;
    readonly webhook_signature: string;
  };
}

/** The signing vectors, which also test the SDKs. */
export const signingVectors = JSON.parse(
  readFileSync(new URL("../../../../conformance/signing.json", import.meta.url), "utf8"),
) as SigningVectors;
