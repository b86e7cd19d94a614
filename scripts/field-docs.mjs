// TypeScript writes the types of Zod's schemas into declarations without the comments of their fields, so that an editor would show
// none. This puts them there.
import { resolve } from 'node:path';
import ts from 'typescript';

function programOf(files) {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, '.');
  const program = ts.createProgram(files, options);
  return { program, checker: program.getTypeChecker() };
}

/** The comment of each field in the object literals of the sources, by the names of all fields of its literal. */
export function fieldDocsOf(entries) {
  const { program, checker } = programOf(entries);
  const docs = new Map();
  const visit = (node) => {
    if (ts.isObjectLiteralExpression(node)) {
      const fields = checker.getTypeAtLocation(node).getProperties();
      const key = keyOf(fields.map(({ name }) => name));
      const texts = docs.get(key) ?? new Map();
      for (const field of fields)
        if (commentOf(field) !== undefined) texts.set(field.name, commentOf(field));
      docs.set(key, texts);
    }
    ts.forEachChild(node, visit);
  };
  for (const file of program.getSourceFiles()) if (!file.isDeclarationFile) visit(file);
  return docs;
}

/** A comment for each field of a declaration file that has none, and the line before which it belongs; the last one first. */
export function missingDocs(code, docs) {
  const file = ts.createSourceFile('chunk.d.ts', code, ts.ScriptTarget.Latest, true);
  const found = [];
  const visit = (node) => {
    const fields = ts.isTypeLiteralNode(node) ? node.members.filter(ts.isPropertySignature) : [];
    const texts = docs.get(keyOf(fields.map(({ name }) => name.text)));
    for (const field of texts === undefined ? [] : fields) {
      const { line, character } = file.getLineAndCharacterOfPosition(field.getStart());
      const text = texts.get(field.name.text)?.replaceAll(/\n\s*/g, `\n${' '.repeat(character)} `);
      if (text && field.jsDoc === undefined)
        found.push({ line, text: ' '.repeat(character) + text });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found.toSorted((one, other) => other.line - one.line);
}

const keyOf = (names) => names.toSorted().join();

function commentOf({ declarations = [] }) {
  return declarations[0]?.jsDoc?.at(-1)?.getText();
}

/** The fields of the exported types of declaration files for which an editor shows no comment. */
export function undocumented(files) {
  const { program, checker } = programOf(files);
  const isType = ({ flags }) => flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias);
  const isOwn = ({ declarations: [declaration] = [] }) =>
    declaration?.getSourceFile().fileName.startsWith(resolve('dist'));
  return files
    .flatMap((file) =>
      checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file))),
    )
    .map((one) => (one.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(one) : one))
    .filter((one) => isType(one) && !checker.getDeclaredTypeOfSymbol(one).isUnion())
    .flatMap((one) =>
      checker
        .getDeclaredTypeOfSymbol(one)
        .getProperties()
        .filter((field) => isOwn(field) && field.getDocumentationComment(checker).length === 0)
        .map((field) => `${one.name}.${field.name}`),
    );
}
