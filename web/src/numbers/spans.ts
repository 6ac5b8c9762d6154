/** The stretches of time that one can look at. */
export const SPANS: readonly (readonly [string, string])[] = [["7d", "7 days"], ["14d", "14 days"], ["28d", "4 weeks"], ["90d", "3 months"]];

export const usual = "28d";
