// A farm of many: copies of what came in by the front door.

// `n` rows of a table in place of its one; `change` makes the columns of `unless` in copy i.
export function copy(farm, table, n, unless, change) {
  const columns = farm.sql(
    `SELECT string_agg(quote_ident(column_name), ',') FROM information_schema.columns WHERE table_name = '${table}' ` +
      `AND is_identity = 'NO' AND is_generated = 'NEVER' AND column_name NOT IN (${unless.map((c) => `'${c}'`).join(",")})`,
  );
  if (n < 2) return;
  farm.sql(`INSERT INTO ${table} (${columns}, ${unless.join(",")}) ` +
    `SELECT ${columns}, ${change} FROM (SELECT * FROM ${table} LIMIT 1) one, generate_series(2, ${n}) i`);
}

// The farm has one job and one machine, vm1, whose agent says nothing meanwhile.
export function fill(farm, { jobs, machines }) {
  copy(farm, "jobs", jobs, ["request_id"], "gen_random_uuid()");
  copy(farm, "machines", machines, ["name"], "'vm' || i");
  copy(farm, "machine_pulse", machines, ["machine"], "'vm' || i"); // Without it a machine is in no list.
  farm.sql("ANALYZE jobs, machines, machine_pulse");
}
