/** The `structuredContent` of the weather tool. */
export interface Forecast {
  city: string;
  days: { name: string; sky: string; high: number; low: number }[];
}
