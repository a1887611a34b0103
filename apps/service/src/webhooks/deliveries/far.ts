/** The due time of a delivery that waits in its lane: no node claims it. PostgreSQL 15 cannot subtract an infinite time. */
export const FAR = "timestamptz '9000-01-01'";
