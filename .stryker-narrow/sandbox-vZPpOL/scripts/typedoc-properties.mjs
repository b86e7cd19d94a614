// @ts-nocheck
// Warns of a property of a public interface or class that has no words of its own. TypeDoc's own check knows no middle
// way: it also asks for words on every field of every constant, such as the rows of the table of operations.
import { Application, ReflectionKind } from 'typedoc';

export function load(app) {
  app.on(Application.EVENT_VALIDATE_PROJECT, (project) => {
    for (const property of project.getReflectionsByKind(ReflectionKind.Property)) {
      if (
        !property.parent?.kindOf(ReflectionKind.ClassOrInterface) ||
        property.hasComment() ||
        property.inheritedFrom
      )
        continue;
      app.logger.validationWarning(`${property.getFullName()} does not have any documentation`);
    }
  });
}
