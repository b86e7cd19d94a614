import { flagHelp } from '../cli/flags.js';
import { help } from '../cli/text.js';
import { verifyFlags } from './options.js';

/** What `petstore-mock verify --help` prints. */
export const verifyHelp = (stream: { isTTY?: boolean }): string => help(stream, text);

const text = `petstore-mock verify: sends requests to a service, and reports what it does

Usage: PETSTORE_API_KEY=... petstore-mock verify ADDRESS [options]

First see what would be sent, then send it:
  petstore-mock verify https://staging.petstore.example --dry-run
  PETSTORE_API_KEY=... petstore-mock verify https://staging.petstore.example

It reports the statements of the service interface that hold or fail, and the
assumptions of petstore-mock: what the interface leaves open, with the value that
this service has.

A run sends 32 GET requests, one after the other, and leaves a part of the
quota to others. It takes about 80 seconds, and waits nearly all of this time: it
must ask again when a minute has passed. If the key was used in the last minute,
it first waits 61 seconds more. Use a key that no other program uses.

The API key comes from PETSTORE_API_KEY or from stdin, never from an option.

${flagHelp(verifyFlags)}

Exit code:
  0  every statement that was judged holds
  1  a statement fails, or a value differs from --check FILE
  2  the service could not be asked: a mistake on the command line, not
     reachable, the key is refused, or the quota is low

Examples:
  petstore-mock verify https://staging.petstore.example --write petstore.assumptions.json
  petstore-mock verify https://staging.petstore.example --check petstore.assumptions.json
  petstore-mock --assumptions petstore.assumptions.json
`;
