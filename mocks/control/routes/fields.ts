import * as z from 'zod/mini';

export const duration = z.union([z.number(), z.string()], {
  error: "must be ms, or a text such as '61s'",
});

export const whole = (least: number): z.ZodMiniType<number> => {
  const error = `must be an integer of ${least} or more`;
  return z.int({ error }).check(z.minimum(least, { error }));
};

export const oneOf = <const Value extends string>(...values: Value[]): z.ZodMiniType<Value> =>
  z.literal(values, { error: `must be one of ${values.join(', ')}` });

export const onlyTrue = z.literal(true, { error: 'must be true, or left out' });
