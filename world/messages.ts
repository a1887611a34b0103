/** The messages between a test and the process in its world. */

/** `args` of the method, in their order. */
export interface Call {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

/** The first reply has the id 0 and the names of the methods: the world is ready. */
export type Reply = { readonly id: number; readonly value?: unknown } | { readonly id: number; readonly error: string };

/** A receiver on one of the world's addresses. */
export interface ReceiverPlan {
  readonly address: string;
  /** Default: 443. */
  readonly port?: number;
  /** Null: plain HTTP. */
  readonly certificate: CertificatePlan | null;
  /** Default: 200 "ok". */
  readonly answer?: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  };
}

export interface CertificatePlan {
  readonly names: readonly string[];
  /** `stranger`: an authority that the service does not trust. */
  readonly signedBy?: "authority" | "stranger";
  /** Days from now. */
  readonly validDays?: { readonly from: number; readonly to: number };
}

export interface StartPlan {
  readonly command: readonly string[];
  /** In addition to PATH, HOME and the test authority's certificate. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the repository. */
  readonly cwd?: string;
}
