/** What the weather tool returns as `structuredContent`. */
export interface Forecast {
  city: string;
  days: { name: string; sky: string; high: number; low: number }[];
}
