/** In a file there is one stretch of time: the one it was made with. */
export const SPANS: readonly (readonly [string, string])[] = [["90d", "the last 3 months"]];

export const usual = "90d";
