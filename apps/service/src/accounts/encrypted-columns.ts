import { sealedColumn } from "../lib/lib.ts";
import { secretPlace } from "./api-keys/recorded-key.ts";
import { totpPlace } from "./proofs/second-factor.ts";

export const sealedByWorkspaces = [
  sealedColumn({ table: "api_key", column: "signing_secret_sealed", by: ["id"], place: ({ id }) => secretPlace(id) }),
  ...["totp_pending_sealed", "totp_sealed"].map((column) =>
    sealedColumn({ table: "person", column, by: ["id"], place: ({ id }) => totpPlace(id) }),
  ),
];
