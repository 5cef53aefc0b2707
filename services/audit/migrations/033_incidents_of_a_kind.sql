-- One kind of incident, or one severity, page by page: a flood of another kind is not read through.
create index incidents_of_a_kind on incidents (kind, id);
create index incidents_of_a_severity on incidents (severity, id);
