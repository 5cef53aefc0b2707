-- How many heads a checkpoint stands for, without reading them: a page of checkpoints is a hundred times four thousand.
alter table checkpoints add column streams integer generated always as
    (case jsonb_typeof(heads) when 'array' then jsonb_array_length(heads) else 0 end) stored;
