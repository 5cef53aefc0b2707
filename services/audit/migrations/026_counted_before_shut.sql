-- As in 022, but nobody waits for histories while players and links of the month are counted.

create or replace function take_out(month text, pieces jsonb) returns void
    language plpgsql security definer as $$
declare
    suffix text := '_' || replace(month, '-', '_');
    kept text[] := array['histories', 'played', 'journal_links'];
begin
    perform put_down(month, pieces, kept);
    if to_regclass(quote_ident('histories' || suffix)) is not null then
        execute format('insert into archived_hands as a
                        select table_id, $1, min(number), max(number) from %I group by table_id
                        on conflict (table_id, month) do update
                           set first = least(a.first, excluded.first), last = greatest(a.last, excluded.last)',
                       'histories' || suffix) using month;
    end if;
    if to_regclass(quote_ident('played' || suffix)) is not null then
        execute format('insert into archived_players select distinct player, game, $1 from %I on conflict do nothing',
                       'played' || suffix) using month;
    end if;
    perform count_part(parent, month, pieces) from unnest(kept) as parent;
    perform leave_part(parent, month) from unnest(kept) as parent;
end
$$;
do $$
begin
    -- Nothing temporary stands before what is ours.
    execute format('alter function take_out(text, jsonb) set search_path to %I, pg_temp', current_schema());
end
$$;
