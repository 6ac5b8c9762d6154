-- What today brought is asked often, and is little of what a board remembers.
CREATE INDEX runs_ended ON runs (ended_at) WHERE ended_at IS NOT NULL;
