import { ConfigurationError } from '../../errors/errors.js';
import type { JournalEntry } from './journal.js';

/** The text of a journal, as it was read. */
export interface JournalText {
  readonly entries: readonly JournalEntry[];
  /** Bytes of the header and of the whole lines. */
  readonly end: number;
  /** The checksum of the last whole line, which the next line continues. */
  readonly check: string;
  /** The last line was cut while it was written: what must stand in its place. */
  readonly cut: JournalEntry | undefined;
}

interface Line {
  readonly line: string;
  readonly check: string;
}

const headerPattern = /^\{"journal":"petstore-client\/bulk","version":1,"sent":"(\d{15})"/;
/** In characters, and in bytes. All headers have one length, so that each can be written over the one before. */
const headerLength = 91;
/** What the first line continues. */
const firstCheck = '00000000';

/**
 * The first line. `sent` is the size of the file up to the last entry `sending`, so that a file whose end is missing is
 * noticed: without that entry the row would be sent again.
 */
export function header(sent = headerLength): string {
  const text = `{"journal":"petstore-client/bulk","version":1,"sent":"${String(sent).padStart(15, '0')}"`;
  return `${text},"check":"${checksum(text)}"}\n`;
}

/** One line. Its checksum also covers the checksum of the line before, so that a missing line is noticed. */
export function encodeLine({ row, state, id, reason }: JournalEntry, before: string): Line {
  const text = JSON.stringify({ row, state, id, reason }).slice(0, -1);
  const check = checksum(before + text);
  return { line: `${text},"check":"${check}"}\n`, check };
}

/**
 * Reads a journal. Only the last line may be incomplete: a crash or a full disk cut it. If its row can be read, it counts as
 * sent. If not, the row was never sent, because the header is written between the line and the request.
 *
 * @throws `ConfigurationError` when a line is damaged or missing.
 */
export function readText(path: string, text: string): JournalText {
  const sent = readHeader(path, text);
  const lines = text.slice(headerLength).split('\n');
  const rest = lines.pop()!;
  const entries: JournalEntry[] = [];
  let [end, check] = [headerLength, firstCheck];
  for (const [index, line] of lines.entries()) {
    const entry = decodeLine(line, check);
    if (entry === undefined) throw damaged(path, `line ${index + 2} cannot be read`);
    entries.push(entry);
    end += encode(line).length + 1;
    check = line.slice(-10, -2);
  }
  const cut = rest === '' ? undefined : (decodeLine(rest, check) ?? decodeStart(rest));
  const present = end + (cut === undefined ? 0 : encode(encodeLine(cut, check).line).length);
  if (sent > present) throw damaged(path, `lines are missing after line ${lines.length + 1}`);
  return { entries, end, check, cut };
}

function readHeader(path: string, text: string): number {
  const sent = Number(headerPattern.exec(text)?.[1]);
  if (text.startsWith(header(sent))) return sent;
  if (text.startsWith('{"journal"')) throw damaged(path, 'line 1 cannot be read');
  throw new ConfigurationError(
    `${path} is not a journal of createPets${text === '' ? ': it is empty' : ''}. Pass another path, or move the file away`,
  );
}

/** A line is valid only if it is, character for character, what {@link encodeLine} writes. */
function decodeLine(line: string, before: string): JournalEntry | undefined {
  try {
    const { row, state, id, reason } = JSON.parse(line) as JournalEntry;
    const entry = { row, state, id, reason };
    return encodeLine(entry, before).line === `${line}\n` ? entry : undefined;
  } catch {
    return undefined;
  }
}

/** The row of a line that was cut after it. */
function decodeStart(line: string): JournalEntry | undefined {
  const row = /^\{"row":("(?:[^"\\]|\\.)*")/.exec(line)?.[1];
  try {
    return row === undefined ? undefined : { row: JSON.parse(row) as string, state: 'sending' };
  } catch {
    return undefined;
  }
}

function damaged(path: string, what: string): ConfigurationError {
  return new ConfigurationError(
    `the journal ${path} is damaged: ${what}. Nothing was sent. Do not use an older copy, which does not know what was sent` +
      ' since: begin a new journal with only the rows whose pets are not in the service',
  );
}

const encoder = /* @__PURE__ */ new TextEncoder();

export function encode(text: string): Uint8Array {
  return encoder.encode(text);
}

/** CRC-32. It finds accidental damage. A person who edits a line on purpose can also write its checksum. */
function checksum(text: string): string {
  let crc = -1;
  for (const byte of encode(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (0xedb88320 * (crc & 1));
  }
  return (~crc >>> 0).toString(16).padStart(8, '0');
}
