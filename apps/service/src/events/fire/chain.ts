/**
 * The maximum number of events that lead to an event. An event at the limit causes no other, which ends a circle of
 * rules, workflows or connectors.
 */
export const MAX_CHAIN = 16;

/**
 * The limit for rules and actions. It is lower, because their effects are visible outside and a circle must end well
 * before events stop.
 */
export const MAX_ACTING_CHAIN = 5;
