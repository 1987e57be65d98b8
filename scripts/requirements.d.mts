export function readIds(markdown: string): string[];
export function idsOf(title: string): string[];
export interface Report {
  testResults: { assertionResults: { title: string; status: string }[] }[];
}
export function count(ids: string[], report: Report): Map<string, { passed: number; failed: number }>;
export function showRequirements(report: Report, markdown: string): string[];
export const REQUIREMENTS: URL;
