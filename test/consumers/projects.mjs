import { projectsIn } from '../packed/project.mjs';

export const { copy, project } = projectsIn(import.meta.dirname);
