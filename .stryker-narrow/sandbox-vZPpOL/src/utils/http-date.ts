// @ts-nocheck
const pattern = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Reads an HTTP-date in the form that is sent today (IMF-fixdate, RFC 9110, 5.6.7): ms since the Unix epoch. `Date.parse` alone also
 * accepts '1.5' and many other strings as dates.
 */
export function parseHttpDate(text: string | null): number | undefined {
  const instant = pattern.test(text ?? '') ? Date.parse(text as string) : NaN;
  return Number.isNaN(instant) ? undefined : instant;
}
