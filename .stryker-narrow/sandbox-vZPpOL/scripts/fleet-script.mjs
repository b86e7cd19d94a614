// @ts-nocheck
// Writes the fleet's script for Redis and Valkey: the rules of the fleet as Lua. With `--check`: fails when it is stale.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import ts from 'typescript';
import { LuaLibImportKind, LuaTarget, transpileVirtualProject } from 'typescript-to-lua';
import * as lua from 'typescript-to-lua/dist/LuaAST.js';

const target = 'src/fleet/script/script.generated.ts';
/** Each file after those that it imports. */
const sources = [];
collect('src/fleet/script/entry.ts');

function collect(path) {
  if (sources.some((source) => source.path === path)) return;
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const imports = file.statements.filter(ts.isImportDeclaration);
  for (const { moduleSpecifier } of imports)
    collect(
      new URL(moduleSpecifier.text.replace(/\.js$/, '.ts'), `file:///${path}`).pathname.slice(1),
    );
  const own = file.statements.filter(
    (statement) => !ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement),
  );
  sources.push({ path, text: own.map((statement) => statement.getText(file)).join('\n') });
}

/** One module, so that a function of the rules is a local of Lua and not a field of a table. */
const text = sources.map((source) => source.text.replaceAll(/^export /gm, '')).join('\n');
const { diagnostics, transpiledFiles } = transpileVirtualProject(
  { 'script.ts': `${text}\nexport {};` },
  {
    target: ts.ScriptTarget.ESNext,
    lib: ['lib.esnext.d.ts'],
    types: [],
    strict: true,
    noUncheckedIndexedAccess: true,
    luaTarget: LuaTarget.Lua51,
    luaLibImport: LuaLibImportKind.Inline,
    noImplicitSelf: true,
    noHeader: true,
    removeComments: true,
    luaPlugins: [
      {
        plugin: {
          visitors: {
            [ts.SyntaxKind.DeleteExpression]: setToNil,
            [ts.SyntaxKind.Identifier]: inlineNumber,
          },
        },
      },
    ],
  },
);

/** The library of TypeScriptToLua asks whether a property may be deleted, which is slow. */
function setToNil(node, context) {
  const target = context.transformExpression(node.expression);
  context.addPrecedingStatements(
    lua.createAssignmentStatement(target, lua.createNilLiteral(), node),
  );
  return lua.createNilLiteral();
}

/** A server creates all functions of the script for each operation: fewer constants around them make that faster. */
function inlineNumber(node, context) {
  const { valueDeclaration } = context.checker.getSymbolAtLocation(node) ?? {};
  const text = valueDeclaration?.initializer?.getText() ?? '';
  const isNumber = node !== valueDeclaration?.name && /^[-\d_.e */]+$/.test(text);
  const isConstant = isNumber && valueDeclaration.parent.parent.parent === node.getSourceFile();
  if (!isConstant) return context.superTransformExpression(node);
  return lua.createNumericLiteral(Function(`return ${text}`)());
}

const problems = diagnostics.map((one) => ts.flattenDiagnosticMessageText(one.messageText, '\n'));
if (problems.length > 0) throw new Error(problems.join('\n'));
const code = transpiledFiles
  .find((file) => file.lua !== undefined)
  .lua.replaceAll(/^ *--.*\n/gm, '')
  // The constants are in place.
  .replaceAll(/^local \w+ = [-\d.e */]+\n/gm, '')
  .replace(/^local ____exports = \{\}\n/m, '')
  .replace(/return ____exports\s*$/, 'return run()')
  .replaceAll(/\s+/g, ' ')
  .replaceAll(/(.{1,150})(?: |$)/g, '$1\n');
if (/[`\\]|\$\{/.test(code)) throw new Error('the script does not fit a template');

const written = `// Written by \`npm run fleet:script\` from src/fleet/script/entry.ts and src/fleet/rules. Do not edit.
/** The rules for Redis and Valkey, as one Lua script. KEYS[1]: the state of a key. ARGV[1]: the operation as JSON. */
export const script = \`${code}\`;

/** By this name a server that has loaded the script knows it. */
export const sha1 = '${createHash('sha1').update(code).digest('hex')}';
`;
if (!process.argv.includes('--check')) writeFileSync(target, written);
else if (readFileSync(target, 'utf8') !== written) {
  console.error(`${target} is stale: npm run fleet:script`);
  process.exitCode = 1;
}
