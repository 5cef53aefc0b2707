-- Whether rows get numbers that others have had: who has come further looks at no such row.
grant select on sequence incidents_id_seq, restrictions_id_seq, account_signals_id_seq, cases_id_seq, check_states_id_seq,
    reads_id_seq to croupier_audit;
