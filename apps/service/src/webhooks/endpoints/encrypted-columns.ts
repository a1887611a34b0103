import { sealedColumn } from "../../lib/lib.ts";
import { channelPlace } from "./signing-channels.ts";
import { headersPlace } from "../requests/header-values.ts";
import { keyPlace } from "./signature-families.ts";
import { secretPlace } from "./targets.ts";

export const sealedByEndpoints = [
  sealedColumn({ table: "endpoint", column: "headers_sealed", by: ["id"], place: ({ id }) => headersPlace(id) }),
  ...["ed25519_sealed", "previous_ed25519_sealed"].map((column) =>
    sealedColumn({ table: "endpoint", column, by: ["id"], place: ({ id }) => keyPlace(id) }),
  ),
  ...["secret_sealed", "previous_secret_sealed"].flatMap((column) => [
    sealedColumn({ table: "endpoint", column, by: ["id"], place: ({ id }) => secretPlace(id) }),
    sealedColumn({ table: "channel", column, by: ["owner", "id"], place: channelPlace }),
  ]),
];
