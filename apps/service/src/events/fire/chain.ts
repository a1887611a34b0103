/** An event that this many events led to leads to no other: a circle of rules, workflows or connectors ends here. */
export const MAX_CHAIN = 16;

/** A rule or an action goes on this far only: what it does is felt outside, so a circle has to end well before events stop. */
export const MAX_ACTING_CHAIN = 5;
