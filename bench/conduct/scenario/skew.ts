/**
 * The answer of a service whose clock is `skew` ms behind the client's, on which nothing else depends: every date in its
 * headers is earlier by it. Whole seconds, since that is what the headers hold.
 */
export function skewed(response: Response, skew: number): Response {
  if (skew === 0) return response;
  const headers = new Headers(response.headers);
  const reset = headers.get('X-RateLimit-Reset');
  if (reset !== null) headers.set('X-RateLimit-Reset', String(Number(reset) - skew / 1_000));
  shift(headers, 'Date', skew);
  shift(headers, 'Retry-After', skew);
  return new Response(response.body, {
    status: response.status,
    statusText: response.statusText,
    headers,
  });
}

function shift(headers: Headers, name: string, skew: number): void {
  const value = headers.get(name);
  if (value?.endsWith('GMT')) headers.set(name, new Date(Date.parse(value) - skew).toUTCString());
}
