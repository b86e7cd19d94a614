/** The name of the state of a key: the address and the key as one hash, in braces, so that a Redis Cluster keeps it in one slot. */
export function stateKey(name: string, origin: string, apiKey: string): string {
  return `{${name}:${sha256(`${origin} ${apiKey}`)}}:gate`;
}

const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

/** The first 32 bits of the fractional parts of the n-th roots of the first primes (FIPS 180-4). */
function fractions(count: number, root: number): number[] {
  const words: number[] = [];
  for (let candidate = 2; words.length < count; candidate += 1) {
    let isPrime = true;
    for (let divisor = 2; divisor * divisor <= candidate; divisor += 1)
      if (candidate % divisor === 0) isPrime = false;
    if (isPrime) words.push((candidate ** (1 / root) * 2 ** 32) | 0);
  }
  return words;
}

const initial = fractions(8, 2);
const roundWords = fractions(64, 3);

/** SHA-256 of a text as UTF-8, in hex. `crypto.subtle` is asynchronous, and `node:crypto` is not everywhere. */
export function sha256(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const length = Math.ceil((bytes.length + 9) / 64) * 64;
  const message = new Uint8Array(length);
  message.set(bytes);
  message[bytes.length] = 0x80;
  const view = new DataView(message.buffer);
  view.setUint32(length - 4, bytes.length * 8);
  let hash = initial;
  for (let at = 0; at < length; at += 64) hash = addBlock(hash, view, at);
  return hash.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

function addBlock(hash: readonly number[], view: DataView, at: number): number[] {
  const words = new Int32Array(64);
  for (let i = 0; i < 16; i += 1) words[i] = view.getInt32(at + 4 * i);
  for (let i = 16; i < 64; i += 1) {
    const [near, far] = [words[i - 2]!, words[i - 15]!];
    const mixed = rotate(near, 17) ^ rotate(near, 19) ^ (near >>> 10);
    words[i] =
      words[i - 16]! + (rotate(far, 7) ^ rotate(far, 18) ^ (far >>> 3)) + words[i - 7]! + mixed;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
  for (let i = 0; i < 64; i += 1) {
    const choice = (e & f) ^ (~e & g);
    const first =
      (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + roundWords[i]! + words[i]!) |
      0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  return [a, b, c, d, e, f, g, h].map((word, i) => (word + hash[i]!) | 0);
}
