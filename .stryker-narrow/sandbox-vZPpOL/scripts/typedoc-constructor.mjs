// @ts-nocheck
// Shows the constructor of the client as `new PetStoreClient(options?)`. Its two overloads say with types which options
// `int64: 'bigint'` needs; a reader of the reference needs only the name of the options.
import { Converter, ReflectionFlag, ReflectionKind } from 'typedoc';

export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    const constructors = project
      .getReflectionsByKind(ReflectionKind.ConstructorSignature)
      .filter(({ parent }) => parent.parent.name === 'PetStoreClient');
    for (const options of constructors.flatMap(({ parameters = [] }) => parameters)) {
      if (options.type.type === 'intersection') [options.type] = options.type.types;
      options.setFlag(ReflectionFlag.Optional);
    }
  });
}
