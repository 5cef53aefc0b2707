-- A month of hands, of who played them and of the journals' links leaves for the archive in one call, as one of the books does
-- (wallet 021). Evidence stays: the archivist has no right in incidents, cases, checkpoints and trails.

grant select on histories, played, journal_links to croupier_archivist;

create function take_out(month text, pieces jsonb) returns void
    language plpgsql security definer as $$
declare
    suffix text := '_' || replace(month, '-', '_');
begin
    perform put_down(month, pieces, array['histories', 'played', 'journal_links']);
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
    perform drop_part(parent, month, pieces) from unnest(array['histories', 'played', 'journal_links']) as parent;
end
$$;
do $$
begin
    -- Nothing temporary stands before what is ours.
    execute format('alter function take_out(text, jsonb) set search_path to %I, pg_temp', current_schema());
end
$$;
revoke execute on function take_out(text, jsonb) from public;
grant execute on function take_out(text, jsonb) to croupier_archivist;
