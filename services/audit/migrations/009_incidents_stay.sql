-- What an incident or a case is about stays as it was written: the service's login may count, and say when last.
revoke update on incidents, cases from croupier_audit;
grant update (count, last_seen) on incidents to croupier_audit;
grant update (hands, evidence, last_seen) on cases to croupier_audit;
