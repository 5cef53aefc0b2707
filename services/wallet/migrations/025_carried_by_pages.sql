-- As in 021, and what a month's transfers add up to is carried from slices of its pages: a hand has an account, so all of a month
-- by account is a temporary file for each transfer. A hand's transfers lie side by side, and most of them come to nothing there.

create or replace function take_out(month text, pieces jsonb) returns void
    language plpgsql security definer as $$
declare
    part text := 'transfers_' || replace(month, '-', '_');
    slice constant bigint := 50000;  -- pages, 400 MB
    pages bigint;
    since bigint;
    until bigint;
    of_sittings text;
    gone bigint;
begin
    perform put_down(month, pieces, array['transfers', 'void_rounds', 'session_fees', 'sittings']);
    since := begins(month, 0);
    until := begins(month, 1);
    -- What the transfers that go add up to stays, account by account.
    if to_regclass(quote_ident(part)) is not null then
        pages := pg_relation_size(to_regclass(quote_ident(part))) / current_setting('block_size')::bigint;
        for page in 0 .. pages by slice loop
            execute format('insert into carried as c (book, account, currency, moved)
                            select book, account, currency, sum(change)
                              from (select book, debit as account, currency, -amount as change from %1$I
                                     where ctid >= $1 and ctid < $2
                                    union all select book, credit, currency, amount from %1$I
                                     where ctid >= $1 and ctid < $2) as sides
                             group by 1, 2, 3 having sum(change) <> 0
                            on conflict (book, account, currency) do update set moved = c.moved + excluded.moved', part)
              using format('(%s,0)', page)::tid, format('(%s,0)', page + slice)::tid;
        end loop;
        delete from carried where moved = 0;
    end if;
    insert into archived_sittings as a
    select s.player, s.book, take_out.month, min(s.started_at) from sittings s
     where s.ended_at >= since and s.ended_at < until and s.started_at is not null group by s.player, s.book
    on conflict on constraint archived_sittings_pkey do update set begun = least(a.begun, excluded.begun);
    foreach of_sittings in array array['void_rounds', 'session_fees'] loop
        execute format('delete from %I t using sittings s where (s.table_id, s.reservation) = (t.table_id, t.reservation)
                           and s.ended_at >= $1 and s.ended_at < $2', of_sittings) using since, until;
        get diagnostics gone = row_count;
        perform hold_to_count(of_sittings, take_out.month, pieces, gone);
    end loop;
    delete from sittings where ended_at >= since and ended_at < until;
    get diagnostics gone = row_count;
    perform hold_to_count('sittings', take_out.month, pieces, gone);
    -- Accounts of hands, rounds and sittings that are long over: empty, and nothing moves them any more.
    delete from balances where group_of(account) in ('pot', 'round', 'in-transit')
       and balance = 0 and moved = 0 and moved_at > 0 and moved_at < until;
    perform drop_part('transfers', take_out.month, pieces);
end
$$;
do $$
begin
    -- Nothing temporary stands before what is ours.
    execute format('alter function take_out(text, jsonb) set search_path to %I, pg_temp', current_schema());
end
$$;
