/**
 * A store of the fleet in PostgreSQL, by https://node-postgres.com: `postgresStore(new pg.Pool())`. The table, once:
 * create table fleet (key text primary key, state text not null default '')
 */
// @ts-nocheck

export const postgresStore = (pool) => ({
  async update(key, change) {
    const client = await pool.connect();
    try {
      await client.query('begin');
      await client.query('insert into fleet (key) values ($1) on conflict do nothing', [key]);
      const read =
        'select state, extract(epoch from clock_timestamp()) * 1000 as now from fleet where key = $1 for update';
      const { state, now } = (await client.query(read, [key])).rows[0];
      const text = change(state === '' ? undefined : state, Number(now));
      await client.query('update fleet set state = $2 where key = $1', [key, text]);
      await client.query('commit');
    } catch (failure) {
      await client.query('rollback');
      throw failure;
    } finally {
      client.release();
    }
  },
});
